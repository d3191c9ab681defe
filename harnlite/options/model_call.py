"""The options of model calls, which loops also accept, and of scripted models."""

from __future__ import annotations

MODEL_CALL = """
provider: string; The provider of the model (the default of the environment).
model: string; The model, or an alias of a model.
model_tier: string; A class of models, used instead of a model.
fallback_chain: string | list<string>; The providers that are tried in order when a call fails.
system: string | list | dict; The system prompt, if the argument with that name is nil.
max_tokens: int >= 0 = 16384; The maximum number of tokens in the answer.
temperature: float; The sampling temperature.
top_p: float; The probability mass for nucleus sampling.
top_k: int; The number of candidate tokens at each step.
seed: int; The seed for providers with reproducible answers.
stop: list<string>; Strings that end the answer.
frequency_penalty: float; A penalty for tokens by how often they occurred.
presence_penalty: float; A penalty for tokens that occurred at all.
thinking: bool | string<thinking_mode> | dict<thinking>; Reasoning before the answer.
reasoning_effort: string<reasoning_effort>; The amount of reasoning before the answer.
interleaved_thinking: bool; Allow reasoning between tool calls.
anthropic_beta_features: string | list<string>; Beta features to request from Anthropic.
vision: bool; Require a model that accepts images.
audio: bool; Require a model that accepts audio.
pdf: bool; Require a model that accepts PDF documents.
prefill: string; The beginning of the answer.
cache: bool; Prompt caching.
api_mode: string; The API of OpenAI, `chat` or `responses` (the one that the model or the configuration asks for).
stream: bool; Receive the answer in pieces (true, or the value of `HARN_LLM_STREAM`).
user_visible: bool; Mark the streamed text as visible to the user.
logprobs: any; Request the log probabilities of tokens.
store: bool; Let the provider keep the answer, so that a later call can continue it.
previous_response_id: string; The stored answer that this call continues; only what follows it is sent.
background: bool; Let the provider finish the answer even if the connection ends.
include: list<string>; Additional parts of the answer in the Responses API.
truncation: string; What the Responses API does with a conversation that is too long: "auto" or "disabled".
provider_tools: list<dict>; Tools that the provider runs itself, in the provider's own form.
timeout: float = 120; The time limit of a call, in seconds.
timeout_ms: float; The time limit in milliseconds, rounded up to seconds; `timeout` has priority.
idle_timeout: float; The maximum time between two pieces of an answer, in seconds.
messages: list<dict<message>>; Messages that are sent instead of the prompt.
session_id: string; The session whose pending reminders are included.
system_preamble: string | list | dict; Text before all other system text.
system_prefix: string | list | dict; Text before the system prompt.
system_context: string | list | dict; Background information after the system prompt.
system_prompt_parts: string | list | dict; Named parts of the system prompt.
system_appendix: string | list | dict; Text after the background information.
system_suffix: string | list | dict; Text at the end of the system text.
tools: dict | list; The tools that the model may call: a registry, or a list of entries.
tool_choice: string | dict; Whether the model must call a tool, and which one.
tool_format: string<tool_format>; How tool calls are written (the preference of the model, or text).
tool_search: bool | string<search_variant> | dict<tool_search>; Let the model search for tools.
output_schema: dict; The JSON Schema of the answer.
json_schema: dict; The same as `output_schema`.
schema: dict; The same as `output_schema`.
output_format: string | dict; The format of the answer: text, json, or `{kind, schema, strict}`.
response_format: "json" | "json_object" | "text"; The format of the answer.
output_validation: string<output_validation> = "off"; What happens to an answer that does not match its schema.
schema_retries: int >= 0 = 1; How often the model is asked again for an answer that does not match its schema.
schema_retry_nudge: bool | string; The message with which the model is asked again; false sends none.
llm_retries: int >= 0 = 0; How often a failed call is retried.
llm_backoff_ms: int >= 0 = 250; The delay before the first retry, in milliseconds.
budget: dict<budget>; Limits on tokens and costs.
max_input_tokens: int >= 0; The same as `budget.max_input_tokens`.
max_output_tokens: int >= 0; The same as `budget.max_output_tokens`.
max_cost_usd: float; The same as `budget.max_cost_usd`.
total_budget_usd: float; The same as `budget.total_budget_usd`.
structural_experiment: bool | string | dict | closure; A different arrangement of the prompt, for experiments.
"""
STRUCTURED_CALL = """
output_validation: string<output_validation> = "error"; What happens to an answer that does not match its schema.
schema_retries: int >= 0 = 3; How often the model is asked again for an answer that does not match its schema.
retries: int >= 0; The same as `schema_retries`.
strict: bool = true; Require an answer with exactly the fields of the schema.
repair: bool | dict; A second call that corrects an answer that does not match the schema.
"""
HEALTHCHECK = """
prompt: string = "Reply with OK."; The text that is sent.
max_tokens: int >= 0 = 16; The maximum number of tokens in the answer.
timeout: float = 10; The time limit of the call, in seconds.
"""
TOOL_FORMAT = """
native: the tool calling of the API
text: tool calls are written in the answer
"""
REASONING_EFFORT = """
none: no reasoning
minimal: as little reasoning as possible
low: little reasoning
medium: a moderate amount of reasoning
high: a lot of reasoning
xhigh: as much reasoning as possible
"""
THINKING_MODE = """
enabled: reasoning with the default budget
on: the same as enabled
true: the same as enabled
adaptive: the model decides
minimal: as little reasoning as possible
low: little reasoning
medium: a moderate amount of reasoning
high: a lot of reasoning
xhigh: as much reasoning as possible
disabled: no reasoning
none: the same as disabled
off: the same as disabled
"""
THINKING = """
enabled: bool = true; Whether the model reasons.
mode: "disabled" | "enabled" | "adaptive" | "effort" = "enabled"; How the amount of reasoning is chosen.
budget_tokens: int >= 0; The maximum number of tokens for reasoning.
level: string<reasoning_effort>; The amount of reasoning in the mode `effort`.
"""
OUTPUT_VALIDATION = """
off: the answer is returned as it is
warn: the answer is returned, and a warning is logged
error: the call fails
"""
MESSAGE = """
role: string; The author of the message.
content: string | list; The text, or a list of content blocks.
"""
SEARCH_VARIANT = """
bm25: ranking by the words of the query
regex: a regular expression
hybrid: both
"""
TOOL_SEARCH = """
variant: string<search_variant> = "bm25"; How the provider searches.
mode: "auto" | "native" | "client" = "auto"; Whether the provider or the client searches.
strategy: string<search_variant> | dict | closure; How the client searches (the variant).
name: string; The name of the search tool (__harn_tool_search).
always_loaded: list<string>; Tools that are offered from the start.
budget_tokens: int; The maximum number of tokens for the tools that were found.
"""
BUDGET = """
max_input_tokens: int >= 0; The maximum number of input tokens of one call.
max_output_tokens: int >= 0; The maximum number of output tokens of one call.
max_cost_usd: float; The maximum cost of one call, in US dollars.
total_budget_usd: float; The maximum cost of all calls, in US dollars.
"""
SCRIPTED_ANSWER = """
text: any = ""; The text of the answer.
tool_calls: list<dict<tool_call>>; The tool calls of the answer.
error: string | dict<scripted_error>; The error with which the call fails.
match: string; A glob for the texts of all messages; the answer is kept for further calls.
consume_match: bool = false; Remove the answer after its first match.
input_tokens: int; The number of input tokens.
output_tokens: int; The number of output tokens.
cache_read_tokens: int; The number of tokens read from the cache.
cache_write_tokens: int; The number of tokens written to the cache.
cache_creation_input_tokens: int; The same as `cache_write_tokens`.
thinking: string; The reasoning before the answer.
thinking_summary: string; The visible summary of the reasoning.
stop_reason: string; The reason why the answer ended.
model: string = "mock"; The model in the result.
provider: string = "mock"; The provider in the result.
blocks: list<dict>; The answer as content blocks.
stream_chunks: list; The pieces of a streamed answer.
logprobs: any; The log probabilities of the tokens.
delay_ms: int >= 0; The delay before the answer, in milliseconds.
"""
TOOL_CALL = """
id: string; The id of the call.
type: string; The kind of the call, always `tool_call`.
name: string; The name of the tool.
arguments: dict; The arguments of the call.
"""
SCRIPTED_ERROR = """
category: "rate_limit" | "timeout" | "overloaded" | "server_error" | "transient_network" | "auth"; The category.
message: string; The message of the error.
status: int; The HTTP status of the answer.
kind: "transient" | "terminal"; Whether a retry may succeed.
reason: string; The reason for the failure, in the terms of the provider.
retry_after_ms: int >= 0; The delay that the provider asks for, in milliseconds.
"""

PLACES = """
= llm_call 2, llm_call_safe 2, llm_stream 2, llm_completion 3
+ model_call

= llm_healthcheck 0
+ healthcheck
+ model_call

= llm_call_structured 2, llm_call_structured_safe 2, llm_call_structured_result 2
+ structured_call
+ model_call

= llm_mock 0
+ scripted_answer

= llm_pick_model 1
provider: string; Consider only the models of this provider.

= llm_rate_limit 1
rpm: int >= 0; The maximum number of requests per minute; 0 disables the limit.

= with_retry 1
max_attempts: int >= 1 = 3; The maximum number of attempts.
base_ms: int >= 0 = 250; The first delay, in milliseconds.
max_ms: int >= 0 = 8000; The longest delay, in milliseconds.
backoff: "exponential" | "linear" | "constant" = "exponential"; How the delay grows.
jitter: "full" | "none" = "full"; How the delay varies at random.
honor_retry_after: bool = true; Use the delay that the provider asks for.
predicate: closure; `fn(result)` that returns whether to retry.

= with_logging 1
label: string = "llm_call"; The first word of each message.
log: closure; `fn(text, details)` that writes a message (the log of the run).

= with_timeout 1
timeout_ms: int = 120000; The time limit of a call, in milliseconds.

= prompt_order_permutation 0
seed: int = 0; The seed of the permutation.

= with_rate_limit 2
max_retries: int >= 0 = 5; The maximum number of retries.
backoff_ms: int >= 0 = 1000; The first delay, in milliseconds.
"""
