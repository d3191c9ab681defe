" Colours for harnlite programs.
if exists("b:current_syntax")
  finish
endif
syntax case match

syntax match harnName /\<\h\w*\>/
syntax match harnCall /\<\h\w*\>\ze\s*(/ contains=harnBuiltin
syntax match harnType /\<\u\w*\>/

" BEGIN of what `make generate` writes
syntax match harnConstant /\<\%(false\|true\|nil\)\>/
syntax match harnBinding /\<\%(let\|var\)\>/
syntax match harnDeclaration /\<\%(interface\|override\|pipeline\|struct\|skill\|enum\|impl\|tool\|type\|fn\)\>/
syntax match harnModifier /\<\%(extends\|pub\)\>/
syntax match harnCondition /\<\%(guard\|match\|else\|if\)\>/
syntax match harnLoop /\<\%(continue\|break\|while\|for\)\>/
syntax match harnFailure /\<\%(finally\|require\|catch\|retry\|throw\|try\)\>/
syntax match harnFlow /\<\%(deadline\|parallel\|return\|select\|defer\|mutex\|spawn\|yield\|emit\)\>/
syntax match harnModule /\<\%(import\|from\)\>/
syntax match harnWordOperator /\<\%(exclusive\|in\|to\)\>/
syntax match harnReserved /\<\%(eval_pack\)\>/
syntax match harnDuration /\<\d[0-9_]*\%(ms\|d\|h\|m\|s\|w\)\>/
syntax match harnBuiltinType /\%([:<|[,]\s*\|->\s*\)\@10<=\%(Generator\|duration\|closure\|unknown\|Result\|Stream\|string\|bytes\|float\|never\|range\|bool\|dict\|iter\|list\|pair\|any\|int\|set\)\>/
syntax keyword harnReminderKey contained body dedupe_key preserve_on_compact propagate role_hint tags ttl_turns
syntax keyword harnBuiltin contained Err Ok abs acos add_assistant add_message add_system add_tool_result
syntax keyword harnBuiltin contained add_user addr_of advance_time agent agent_await_resumption agent_config
syntax keyword harnBuiltin contained agent_dispatch_tool_batch agent_dispatch_tool_call agent_inject_feedback
syntax keyword harnBuiltin contained agent_lifecycle_tools agent_loop agent_name agent_parse_tool_calls
syntax keyword harnBuiltin contained agent_session_add_root agent_session_ancestry
syntax keyword harnBuiltin contained agent_session_claim_tool_format agent_session_close agent_session_compact
syntax keyword harnBuiltin contained agent_session_current_id agent_session_drain_inbox agent_session_exists
syntax keyword harnBuiltin contained agent_session_fork agent_session_fork_at agent_session_inject
syntax keyword harnBuiltin contained agent_session_length agent_session_list_roots agent_session_open
syntax keyword harnBuiltin contained agent_session_post_event agent_session_remove_root agent_session_reset
syntax keyword harnBuiltin contained agent_session_seed_from_jsonl agent_session_set_workspace_anchor
syntax keyword harnBuiltin contained agent_session_snapshot agent_session_system_prompt
syntax keyword harnBuiltin contained agent_session_tool_format agent_session_trim
syntax keyword harnBuiltin contained agent_session_workspace_anchor agent_stop agent_subscribe agent_trace
syntax keyword harnBuiltin contained agent_trace_summary agent_turn append_file arch asin assert assert_eq
syntax keyword harnBuiltin contained assert_ne asset_root atan atan2 atomic atomic_add atomic_cas atomic_get
syntax keyword harnBuiltin contained atomic_set await basename bold camel_to_kebab camel_to_pascal
syntax keyword harnBuiltin contained camel_to_snake cancel cancel_graceful cancel_in_flight_tool_call
syntax keyword harnBuiltin contained capture_stderr_start capture_stderr_take ceil channel channel_select
syntax keyword harnBuiltin contained checkpoint checkpoint_clear checkpoint_delete checkpoint_exists
syntax keyword harnBuiltin contained checkpoint_get checkpoint_list chunk circuit_breaker circuit_check
syntax keyword harnBuiltin contained circuit_record_failure circuit_record_success circuit_reset
syntax keyword harnBuiltin contained clear_persona_hooks clear_reminder_providers clear_session_hooks
syntax keyword harnBuiltin contained clear_tool_hooks close_agent close_channel color command_policy
syntax keyword harnBuiltin contained command_policy_pop command_policy_push constant_time_eq contains
syntax keyword harnBuiltin contained conversation copy_file cos cwd date_add date_diff date_format
syntax keyword harnBuiltin contained date_from_components date_in_zone date_iso date_now date_now_iso
syntax keyword harnBuiltin contained date_parse date_to_zone dedup_by delete_file dim dirname duration_days
syntax keyword harnBuiltin contained duration_hours duration_minutes duration_ms duration_seconds
syntax keyword harnBuiltin contained duration_to_human duration_to_seconds elapsed enable_tracing ends_with
syntax keyword harnBuiltin contained entries env env_or eprint eprintln error_category estimate_tokens exec
syntax keyword harnBuiltin contained exec_at execution_root exit exp extname file_exists flat_map floor format
syntax keyword harnBuiltin contained glob group_by handoff hash_value hmac_sha256 hmac_sha256_base64 home_dir
syntax keyword harnBuiltin contained host_call host_mock host_mock_calls host_mock_clear host_mock_pop_scope
syntax keyword harnBuiltin contained host_mock_push_scope hostname invalidate_facts is_cancelled is_err
syntax keyword harnBuiltin contained is_infinite is_nan is_ok is_rate_limited is_same is_stderr_tty
syntax keyword harnBuiltin contained is_stdin_tty is_stdout_tty is_timeout is_type iter join jq jq_first
syntax keyword harnBuiltin contained json_extract json_parse json_pointer json_pointer_delete json_pointer_set
syntax keyword harnBuiltin contained json_stringify json_validate kebab_to_camel kebab_to_snake keys len
syntax keyword harnBuiltin contained list_agents list_dir llm_available_providers llm_budget
syntax keyword harnBuiltin contained llm_budget_remaining llm_call llm_call_safe llm_call_structured
syntax keyword harnBuiltin contained llm_call_structured_result llm_call_structured_safe llm_completion
syntax keyword harnBuiltin contained llm_config llm_cost llm_infer_provider llm_info llm_known_models llm_mock
syntax keyword harnBuiltin contained llm_mock_calls llm_mock_clear llm_mock_pop_scope llm_mock_push_scope
syntax keyword harnBuiltin contained llm_model_info llm_model_tier llm_pick_model llm_provider_catalog
syntax keyword harnBuiltin contained llm_providers llm_rate_limit llm_resolve_model llm_session_cost llm_stream
syntax keyword harnBuiltin contained llm_usage ln load_skill log log10 log2 log_debug log_error log_info
syntax keyword harnBuiltin contained log_json log_set_level log_warn lowercase lowercase_first mailbox_close
syntax keyword harnBuiltin contained mailbox_lookup mailbox_metrics mailbox_open mailbox_receive mailbox_send
syntax keyword harnBuiltin contained mailbox_try_receive max md5 mean median microcompact min mkdir mock_stdin
syntax keyword harnBuiltin contained mock_time mock_tty monotonic_ms month_name move_file notify_file_edited
syntax keyword harnBuiltin contained now_ms pair parallel_race parse_resume_conditions partition
syntax keyword harnBuiltin contained pascal_to_camel pascal_to_snake path_basename path_extension
syntax keyword harnBuiltin contained path_is_absolute path_is_relative path_join path_normalize path_parent
syntax keyword harnBuiltin contained path_parts path_relative_to path_segments path_stem path_to_native
syntax keyword harnBuiltin contained path_to_posix path_with_extension path_with_stem path_workspace_info
syntax keyword harnBuiltin contained path_workspace_normalize percentile pid plan_artifact plan_entries
syntax keyword harnBuiltin contained platform pow print println progress project_root prompt_user
syntax keyword harnBuiltin contained provider_capabilities provider_capabilities_clear
syntax keyword harnBuiltin contained provider_capabilities_install provider_register random random_choice
syntax keyword harnBuiltin contained random_int random_shuffle range read_file read_file_bytes read_file_result
syntax keyword harnBuiltin contained read_line read_lines read_stdin recall_facts receive regex_captures
syntax keyword harnBuiltin contained regex_match regex_replace regex_replace_all regex_split
syntax keyword harnBuiltin contained register_checkpoint_hook register_persona_hook register_reminder_provider
syntax keyword harnBuiltin contained register_session_hook register_step_hook register_tool_hook
syntax keyword harnBuiltin contained render_always_on_catalog replace resume_agent rng_seed round
syntax keyword harnBuiltin contained runtime_context runtime_context_clear runtime_context_get
syntax keyword harnBuiltin contained runtime_context_set runtime_context_values runtime_paths schema_check
syntax keyword harnBuiltin contained schema_expect schema_extend schema_from_json_schema
syntax keyword harnBuiltin contained schema_from_openapi_schema schema_is schema_of schema_omit schema_parse
syntax keyword harnBuiltin contained schema_partial schema_pick schema_to_json_schema schema_to_openapi_schema
syntax keyword harnBuiltin contained send send_input set set_add set_color_mode set_contains set_difference
syntax keyword harnBuiltin contained set_intersect set_is_disjoint set_is_subset set_is_superset set_remove
syntax keyword harnBuiltin contained set_symmetric_difference set_union sha224 sha256 sha384 sha3_256 sha3_512
syntax keyword harnBuiltin contained sha512 sha512_256 shared_cas shared_cell shared_get shared_map
syntax keyword harnBuiltin contained shared_map_cas shared_map_delete shared_map_entries shared_map_get
syntax keyword harnBuiltin contained shared_map_set shared_map_snapshot shared_metrics shared_scope_id
syntax keyword harnBuiltin contained shared_set shared_snapshot shell shell_at sign sin skill_count
syntax keyword harnBuiltin contained skill_define skill_describe skill_find skill_list skill_registry
syntax keyword harnBuiltin contained skill_remove skill_render skill_select skills_catalog_entries sleep
syntax keyword harnBuiltin contained sleep_ms snake_to_camel snake_to_kebab snake_to_pascal source_dir
syntax keyword harnBuiltin contained spawn_agent split sqrt starts_with stat stddev store_clear store_delete
syntax keyword harnBuiltin contained store_fact store_get store_list store_save store_set str str_pad
syntax keyword harnBuiltin contained sub_agent_request sub_agent_run substring suspend_agent sync_gate_acquire
syntax keyword harnBuiltin contained sync_metrics sync_mutex_acquire sync_release sync_rwlock_acquire
syntax keyword harnBuiltin contained sync_semaphore_acquire tan task_current temp_dir throw_error timer_end
syntax keyword harnBuiltin contained timer_start timestamp title_case to_float to_int to_list to_string
syntax keyword harnBuiltin contained toml_parse toml_stringify tool_bind tool_count tool_def tool_define
syntax keyword harnBuiltin contained tool_describe tool_find tool_format_result tool_list tool_parse_call
syntax keyword harnBuiltin contained tool_prompt tool_ref tool_registry tool_remove tool_schema tool_select
syntax keyword harnBuiltin contained trace_end trace_id trace_spans trace_start trace_summary transcript
syntax keyword harnBuiltin contained transcript_abandon transcript_add_asset transcript_archive
syntax keyword harnBuiltin contained transcript_assets transcript_auto_compact transcript_compact
syntax keyword harnBuiltin contained transcript_events transcript_events_by_kind transcript_export
syntax keyword harnBuiltin contained transcript_fork transcript_from_messages transcript_id transcript_import
syntax keyword harnBuiltin contained transcript_messages transcript_reminder_event transcript_render_full
syntax keyword harnBuiltin contained transcript_render_visible transcript_reset transcript_resume
syntax keyword harnBuiltin contained transcript_stats transcript_summarize transcript_summary trim try_receive
syntax keyword harnBuiltin contained type_of unicode_graphemes unicode_normalize unmock_stdin unmock_time
syntax keyword harnBuiltin contained unmock_tty unreachable unwrap unwrap_err unwrap_or uppercase
syntax keyword harnBuiltin contained uppercase_first username values variance wait_agent walk_dir weekday_name
syntax keyword harnBuiltin contained window with_execution_policy with_rate_limit worker_trigger
syntax keyword harnBuiltin contained workflow_execute workflow_graph write_file write_file_bytes yaml_parse
syntax keyword harnBuiltin contained yaml_stringify
" END of what `make generate` writes

syntax match harnFunction /\%(\<\%(fn\|pipeline\|tool\|skill\|override\)\s\+\)\@40<=\h[0-9A-Za-z_.]*/
syntax match harnTypeName /\%(\<\%(struct\|enum\|interface\|impl\|type\)\s\+\)\@40<=\h\w*/
syntax match harnModifier /\<gen\ze\s\+fn\>/
syntax match harnModifier /\<extern\ze\s\+fn\>/
syntax match harnModifier /\<where\ze\s\+\h\w*\s*:/
syntax match harnBinding /\%(^\|[;{}]\)\@1<=\s*\zsconst\ze\s\+[[:alnum:]_{\[]/
syntax match harnFlow /\<parallel\s\+\%(each\|settle\)\>/
syntax match harnFlow /\<with\ze\s*{/
syntax match harnFlow /\%(^\|[;{}]\)\@1<=\s*\zstimeout\ze\s\+[[:alnum:]_(]/
syntax match harnFlow /\%(^\|[;{}]\)\@1<=\s*\zsdefault\ze\s*{/
syntax match harnWordOperator /}\@1<=\s*\zsas\s\+stream\>/
syntax match harnWordOperator /\<not\ze\s\+in\>/

" Before a colon and after a dot, keywords are names.
syntax match harnKey /\%(^\|[{,]\)\@1<=\s*\zs\h\w*\ze\s*?\?\s*:/ contains=harnReminderKey
syntax match harnMember /?\?\.\@1<!\.\.\@!\s*\h\w*/
syntax match harnAttribute /@\h\w*/

syntax match harnNumber /\<\d\+\%(_\d\+\)*\%(\.\d\+\%(_\d\+\)*\)\?\%([eE][-+]\?\d\+\)\?\>/
syntax match harnNumber /\<0x[0-9A-Fa-f_]\+\>/
syntax match harnNumber /\<0b[01_]\+\>/
syntax match harnOperator /|>\|->\|\.\.\.\|??\|[-+*\/%]=\|[=!<>]=\|&&\|||\|\*\*\|[-+*%=<>!?|]\|\/[\/*]\@!/

syntax region harnBlock start=/{/ end=/}/ transparent fold contains=TOP
syntax region harnInterpolation matchgroup=harnSpecial start=/\${/ end=/}/ contained contains=TOP
syntax match harnEscape /\\\%([nrt0\\"$]\|u{\x\+}\)/ contained
syntax region harnString start=/"/ skip=/\\./ end=/"/ end=/$/ contains=harnEscape,harnInterpolation,@Spell
syntax region harnString start=/\<r"/ end=/"/ end=/$/
syntax region harnString start=/"""/ end=/"""/ contains=harnInterpolation,@Spell


syntax match harnSuppression /harn:\s*\%(file-\)\?ignore\[[^]]*\]/ contained
syntax match harnComment "//.*$" contains=harnSuppression,@Spell
syntax match harnDoc "////\@!.*$" contains=@Spell
syntax match harnShebang /\%^#!.*/
syntax region harnComment start="/\*" end="\*/" contains=harnNested,@Spell
syntax region harnNested start="/\*" end="\*/" contained contains=harnNested
syntax sync fromstart

highlight default link harnAttribute PreProc
highlight default link harnBinding StorageClass
highlight default link harnBuiltin Function
highlight default link harnBuiltinType Type
highlight default link harnCall Function
highlight default link harnComment Comment
highlight default link harnCondition Conditional
highlight default link harnConstant Constant
highlight default link harnDeclaration Keyword
highlight default link harnDoc SpecialComment
highlight default link harnDuration Number
highlight default link harnEscape SpecialChar
highlight default link harnFailure Exception
highlight default link harnFlow Statement
highlight default link harnFunction Function
highlight default link harnKey Identifier
highlight default link harnLoop Repeat
highlight default link harnModifier StorageClass
highlight default link harnModule Include
highlight default link harnNested Comment
highlight default link harnNumber Number
highlight default link harnOperator Operator
highlight default link harnReminderKey Special
highlight default link harnReserved Error
highlight default link harnShebang PreProc
highlight default link harnSpecial Delimiter
highlight default link harnString String
highlight default link harnSuppression PreProc
highlight default link harnType Type
highlight default link harnTypeName Type
highlight default link harnWordOperator Operator

let b:current_syntax = "harn"
