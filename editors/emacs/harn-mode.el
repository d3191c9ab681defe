;;; harn-mode.el --- Major mode for harnlite programs  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1"))

;;; Commentary:

;; Colours, indentation and the language server for .harn files.

;;; Code:

(require 'prog-mode)

;; BEGIN of what `make generate` writes
(defconst harn-constants
  '("false" "nil" "true"))
(defconst harn-keywords
  '("break" "catch" "continue" "deadline" "defer" "else" "emit" "enum" "eval_pack" "exclusive" "extends"
    "finally" "fn" "for" "from" "guard" "if" "impl" "import" "in" "interface" "let" "match" "mutex"
    "override" "parallel" "pipeline" "pub" "require" "retry" "return" "select" "skill" "spawn" "struct"
    "throw" "to" "tool" "try" "type" "var" "while" "yield"))
(defconst harn-types
  '("Generator" "Result" "Stream" "any" "bool" "bytes" "closure" "dict" "duration" "float" "int" "iter"
    "list" "never" "pair" "range" "set" "string" "unknown"))
(defconst harn-reminder-keys
  '("body" "dedupe_key" "preserve_on_compact" "propagate" "role_hint" "tags" "ttl_turns"))
(defconst harn-builtins
  '("Err" "Ok" "abs" "acos" "add_assistant" "add_message" "add_system" "add_tool_result" "add_user"
    "addr_of" "advance_time" "agent" "agent_await_resumption" "agent_config" "agent_dispatch_tool_batch"
    "agent_dispatch_tool_call" "agent_inject_feedback" "agent_lifecycle_tools" "agent_loop" "agent_name"
    "agent_parse_tool_calls" "agent_session_add_root" "agent_session_ancestry"
    "agent_session_claim_tool_format" "agent_session_close" "agent_session_compact"
    "agent_session_current_id" "agent_session_drain_inbox" "agent_session_exists" "agent_session_fork"
    "agent_session_fork_at" "agent_session_inject" "agent_session_length" "agent_session_list_roots"
    "agent_session_open" "agent_session_post_event" "agent_session_remove_root" "agent_session_reset"
    "agent_session_seed_from_jsonl" "agent_session_set_workspace_anchor" "agent_session_snapshot"
    "agent_session_system_prompt" "agent_session_tool_format" "agent_session_trim"
    "agent_session_workspace_anchor" "agent_stop" "agent_subscribe" "agent_trace" "agent_trace_summary"
    "agent_turn" "append_file" "arch" "asin" "assert" "assert_eq" "assert_ne" "asset_root" "atan"
    "atan2" "atomic" "atomic_add" "atomic_cas" "atomic_get" "atomic_set" "await" "basename" "bold"
    "camel_to_kebab" "camel_to_pascal" "camel_to_snake" "cancel" "cancel_graceful"
    "cancel_in_flight_tool_call" "capture_stderr_start" "capture_stderr_take" "ceil" "channel"
    "channel_select" "checkpoint" "checkpoint_clear" "checkpoint_delete" "checkpoint_exists"
    "checkpoint_get" "checkpoint_list" "chunk" "circuit_breaker" "circuit_check"
    "circuit_record_failure" "circuit_record_success" "circuit_reset" "clear_persona_hooks"
    "clear_reminder_providers" "clear_session_hooks" "clear_tool_hooks" "close_agent" "close_channel"
    "color" "command_policy" "command_policy_pop" "command_policy_push" "constant_time_eq" "contains"
    "conversation" "copy_file" "cos" "cwd" "date_add" "date_diff" "date_format" "date_from_components"
    "date_in_zone" "date_iso" "date_now" "date_now_iso" "date_parse" "date_to_zone" "dedup_by"
    "delete_file" "dim" "dirname" "duration_days" "duration_hours" "duration_minutes" "duration_ms"
    "duration_seconds" "duration_to_human" "duration_to_seconds" "elapsed" "enable_tracing" "ends_with"
    "entries" "env" "env_or" "eprint" "eprintln" "error_category" "estimate_tokens" "exec" "exec_at"
    "execution_root" "exit" "exp" "extname" "file_exists" "flat_map" "floor" "format" "glob" "group_by"
    "handoff" "hash_value" "hmac_sha256" "hmac_sha256_base64" "home_dir" "host_call" "host_mock"
    "host_mock_calls" "host_mock_clear" "host_mock_pop_scope" "host_mock_push_scope" "hostname"
    "invalidate_facts" "is_cancelled" "is_err" "is_infinite" "is_nan" "is_ok" "is_rate_limited"
    "is_same" "is_stderr_tty" "is_stdin_tty" "is_stdout_tty" "is_timeout" "is_type" "iter" "join" "jq"
    "jq_first" "json_extract" "json_parse" "json_pointer" "json_pointer_delete" "json_pointer_set"
    "json_stringify" "json_validate" "kebab_to_camel" "kebab_to_snake" "keys" "len" "list_agents"
    "list_dir" "llm_available_providers" "llm_budget" "llm_budget_remaining" "llm_call" "llm_call_safe"
    "llm_call_structured" "llm_call_structured_result" "llm_call_structured_safe" "llm_completion"
    "llm_config" "llm_cost" "llm_infer_provider" "llm_info" "llm_known_models" "llm_mock"
    "llm_mock_calls" "llm_mock_clear" "llm_mock_pop_scope" "llm_mock_push_scope" "llm_model_info"
    "llm_model_tier" "llm_pick_model" "llm_provider_catalog" "llm_providers" "llm_rate_limit"
    "llm_resolve_model" "llm_session_cost" "llm_stream" "llm_usage" "ln" "load_skill" "log" "log10"
    "log2" "log_debug" "log_error" "log_info" "log_json" "log_set_level" "log_warn" "lowercase"
    "lowercase_first" "mailbox_close" "mailbox_lookup" "mailbox_metrics" "mailbox_open"
    "mailbox_receive" "mailbox_send" "mailbox_try_receive" "max" "md5" "mean" "median" "microcompact"
    "min" "mkdir" "mock_stdin" "mock_time" "mock_tty" "monotonic_ms" "month_name" "move_file"
    "notify_file_edited" "now_ms" "pair" "parallel_race" "parse_resume_conditions" "partition"
    "pascal_to_camel" "pascal_to_snake" "path_basename" "path_extension" "path_is_absolute"
    "path_is_relative" "path_join" "path_normalize" "path_parent" "path_parts" "path_relative_to"
    "path_segments" "path_stem" "path_to_native" "path_to_posix" "path_with_extension" "path_with_stem"
    "path_workspace_info" "path_workspace_normalize" "percentile" "pid" "plan_artifact" "plan_entries"
    "platform" "pow" "print" "println" "progress" "project_root" "prompt_user" "provider_capabilities"
    "provider_capabilities_clear" "provider_capabilities_install" "provider_register" "random"
    "random_choice" "random_int" "random_shuffle" "range" "read_file" "read_file_bytes"
    "read_file_result" "read_line" "read_lines" "read_stdin" "recall_facts" "receive" "regex_captures"
    "regex_match" "regex_replace" "regex_replace_all" "regex_split" "register_checkpoint_hook"
    "register_persona_hook" "register_reminder_provider" "register_session_hook" "register_step_hook"
    "register_tool_hook" "render_always_on_catalog" "replace" "resume_agent" "rng_seed" "round"
    "runtime_context" "runtime_context_clear" "runtime_context_get" "runtime_context_set"
    "runtime_context_values" "runtime_paths" "schema_check" "schema_expect" "schema_extend"
    "schema_from_json_schema" "schema_from_openapi_schema" "schema_is" "schema_of" "schema_omit"
    "schema_parse" "schema_partial" "schema_pick" "schema_to_json_schema" "schema_to_openapi_schema"
    "send" "send_input" "set" "set_add" "set_color_mode" "set_contains" "set_difference" "set_intersect"
    "set_is_disjoint" "set_is_subset" "set_is_superset" "set_remove" "set_symmetric_difference"
    "set_union" "sha224" "sha256" "sha384" "sha3_256" "sha3_512" "sha512" "sha512_256" "shared_cas"
    "shared_cell" "shared_get" "shared_map" "shared_map_cas" "shared_map_delete" "shared_map_entries"
    "shared_map_get" "shared_map_set" "shared_map_snapshot" "shared_metrics" "shared_scope_id"
    "shared_set" "shared_snapshot" "shell" "shell_at" "sign" "sin" "skill_count" "skill_define"
    "skill_describe" "skill_find" "skill_list" "skill_registry" "skill_remove" "skill_render"
    "skill_select" "skills_catalog_entries" "sleep" "sleep_ms" "snake_to_camel" "snake_to_kebab"
    "snake_to_pascal" "source_dir" "spawn_agent" "split" "sqrt" "starts_with" "stat" "stddev"
    "store_clear" "store_delete" "store_fact" "store_get" "store_list" "store_save" "store_set" "str"
    "str_pad" "sub_agent_request" "sub_agent_run" "substring" "suspend_agent" "sync_gate_acquire"
    "sync_metrics" "sync_mutex_acquire" "sync_release" "sync_rwlock_acquire" "sync_semaphore_acquire"
    "tan" "task_current" "temp_dir" "throw_error" "timer_end" "timer_start" "timestamp" "title_case"
    "to_float" "to_int" "to_list" "to_string" "toml_parse" "toml_stringify" "tool_bind" "tool_count"
    "tool_def" "tool_define" "tool_describe" "tool_find" "tool_format_result" "tool_list"
    "tool_parse_call" "tool_prompt" "tool_ref" "tool_registry" "tool_remove" "tool_schema" "tool_select"
    "trace_end" "trace_id" "trace_spans" "trace_start" "trace_summary" "transcript" "transcript_abandon"
    "transcript_add_asset" "transcript_archive" "transcript_assets" "transcript_auto_compact"
    "transcript_compact" "transcript_events" "transcript_events_by_kind" "transcript_export"
    "transcript_fork" "transcript_from_messages" "transcript_id" "transcript_import"
    "transcript_messages" "transcript_reminder_event" "transcript_render_full"
    "transcript_render_visible" "transcript_reset" "transcript_resume" "transcript_stats"
    "transcript_summarize" "transcript_summary" "trim" "try_receive" "type_of" "unicode_graphemes"
    "unicode_normalize" "unmock_stdin" "unmock_time" "unmock_tty" "unreachable" "unwrap" "unwrap_err"
    "unwrap_or" "uppercase" "uppercase_first" "username" "values" "variance" "wait_agent" "walk_dir"
    "weekday_name" "window" "with_execution_policy" "with_rate_limit" "worker_trigger"
    "workflow_execute" "workflow_graph" "write_file" "write_file_bytes" "yaml_parse" "yaml_stringify"))
;; END of what `make generate` writes

(defcustom harn-indent-offset 2
  "How many columns a bracket indents."
  :type 'integer
  :safe #'integerp
  :group 'languages)

(defconst harn-font-lock-keywords
  (let ((name "[[:alpha:]_][[:alnum:]_]*"))
    `(("\\`#!.*" 0 font-lock-comment-face t)
      ("\\_<harn: *\\(?:file-\\)?ignore\\[[^]\n]*\\]" 0 font-lock-preprocessor-face prepend)
      (,(concat "@" name) . font-lock-preprocessor-face)
      ;; Keywords are names behind a dot and before a colon.
      (,(concat "[^.]\\.[ \t]*\\(" name "\\)") 1 'default)
      (,(concat "\\(?:^\\|[{,]\\)[ \t]*" (regexp-opt harn-reminder-keys t) "[ \t]*:") 1 font-lock-builtin-face)
      (,(concat "\\(?:^\\|[{,]\\)[ \t]*\\(" name "\\)[ \t]*\\??[ \t]*:") 1 font-lock-variable-name-face)
      (,(concat "\\_<\\(?:fn\\|pipeline\\|tool\\|skill\\|override\\)[ \t]+\\(" name "\\)")
       1 font-lock-function-name-face)
      (,(regexp-opt harn-keywords 'symbols) . font-lock-keyword-face)
      (,(regexp-opt harn-constants 'symbols) . font-lock-constant-face)
      ("\\_<\\(gen\\|extern\\)[ \t]+fn\\_>" 1 font-lock-keyword-face)
      ("\\_<parallel[ \t]+\\(each\\|settle\\)\\_>" 1 font-lock-keyword-face)
      ("\\_<\\(not\\)[ \t]+in\\_>" 1 font-lock-keyword-face)
      ("}[ \t]*\\(as[ \t]+stream\\)\\_>" 1 font-lock-keyword-face)
      ("\\_<\\(with\\|default\\)[ \t]*{" 1 font-lock-keyword-face)
      ("^[ \t]*\\(const\\|timeout\\)[ \t]+[[:alnum:]_({[]" 1 font-lock-keyword-face)
      (,(concat "\\_<\\(where\\)[ \t]+" name "[ \t]*:") 1 font-lock-keyword-face)
      (,(concat (regexp-opt harn-builtins 'symbols) "[ \t]*(") 1 font-lock-builtin-face)
      (,(concat "[]:<|,[>][ \t]*" (regexp-opt harn-types 'symbols)) 1 font-lock-type-face)
      ("\\_<[[:upper:]][[:alnum:]_]*" . font-lock-type-face)))
  "What stands out in a program.")

(defvar harn-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23n" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (dolist (sign '(?+ ?- ?% ?< ?> ?= ?! ?& ?| ?? ?: ?@ ?$))
      (modify-syntax-entry sign "." table))
    table)
  "What the characters of a program are.")

(defun harn--skip-interpolation ()
  "Go behind the brace that ends the interpolation at point."
  (let ((depth 1))
    (while (and (> depth 0) (re-search-forward "[{}\"]" nil 'move))
      (pcase (char-before)
        (?\{ (setq depth (1+ depth)))
        (?\} (setq depth (1- depth)))
        (?\" (backward-char) (harn--skip-string))))))

(defun harn--skip-string ()
  "Go behind the string that begins at point."
  (let* ((raw (eq (char-before) ?r))
         (triple (looking-at-p "\"\"\""))
         (stop (cond (raw "[\"\n]") (triple "\"\"\"\\|\\${") (t "[\"\n]\\|\\\\.\\|\\${")))
         (open t))
    (forward-char (if triple 3 1))
    (while (and open (re-search-forward stop nil 'move))
      (cond ((eq (char-before) ?\{) (harn--skip-interpolation))
            ((eq (char-before (1- (point))) ?\\) nil)
            (t (setq open nil))))))

(defun harn--propertize (start end)
  "Say where the strings between START and END begin and end."
  (goto-char start)
  (let ((around (nth 8 (syntax-ppss))))
    (when around (goto-char around)))
  (while (re-search-forward "//.*$\\|/\\*\\|\"" end t)
    (pcase (char-before)
      (?* (when (equal (match-string 0) "/*") (goto-char (match-beginning 0)) (unless (forward-comment 1) (goto-char end))))
      (?\" (let ((begin (match-beginning 0)))
             (goto-char begin)
             (harn--skip-string)
             (remove-text-properties begin (point) '(syntax-table nil))
             (put-text-property (1+ begin) (max (1+ begin) (1- (point))) 'syntax-table (string-to-syntax "."))
             (put-text-property begin (1+ begin) 'syntax-table (string-to-syntax "|"))
             (put-text-property (1- (point)) (point) 'syntax-table (string-to-syntax "|"))
             (put-text-property begin (point) 'syntax-multiline t))))))

(defun harn-indent-line ()
  "Indent a line by the brackets that are open at its beginning."
  (interactive)
  (let* ((depth (save-excursion (car (syntax-ppss (line-beginning-position)))))
         (closes (save-excursion (back-to-indentation) (skip-chars-forward "])}")))
         (column (* harn-indent-offset (max 0 (- depth closes)))))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;;###autoload
(define-derived-mode harn-mode prog-mode "Harn"
  "Programs of harnlite."
  (setq-local font-lock-defaults '(harn-font-lock-keywords))
  (setq-local syntax-propertize-function #'harn--propertize)
  (add-hook 'syntax-propertize-extend-region-functions #'syntax-propertize-multiline 'append 'local)
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+ *\\|/\\*+ *")
  (setq-local comment-end "")
  (setq-local indent-line-function #'harn-indent-line)
  (setq-local electric-indent-chars (append "{}()[]" electric-indent-chars)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.harn\\'" . harn-mode))
;;;###autoload
(add-to-list 'interpreter-mode-alist '("harnlite" . harn-mode))

;; Its own package loads it; before Emacs 29 that is to be installed.
(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(harn-mode . ("harnlite" "lsp"))))

(provide 'harn-mode)
;;; harn-mode.el ends here
