"""The official clients of the vendors understand the fakes, and the fakes accept what the clients send."""

import contextlib
import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.vendors import Reply, Thinking, ToolCall, Usage, VendorServer, faults, vendor_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

TEXT = "Grüße, 世界"
USAGE = Usage(input_tokens=100, cache_read_tokens=40, cache_write_tokens=10, output_tokens=30, thinking_tokens=12)
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
USER = [{"role": "user", "content": "look twice"}]


def turn() -> Reply:
    calls = (ToolCall("look", {"at": "söuth"}), ToolCall("look", {"at": "north"}))
    return Reply(Thinking(text="Twice."), TEXT, *calls, usage=USAGE)


@contextlib.contextmanager
def serving(vendor: str, *replies: Reply | str) -> Iterator[tuple[VendorServer, Any]]:
    """Yield a server and the vendor's client for it."""
    with vendor_server(vendor, replies) as server, client_of(vendor, server) as client:
        yield server, client
        assert not server.pending


@contextlib.contextmanager
def client_of(vendor: str, server: VendorServer) -> Iterator[Any]:
    if vendor == "gemini":
        genai = importlib.import_module("google.genai")
        with genai.Client(api_key=server.key, http_options={"base_url": server.base_url}) as client:
            yield client
    elif vendor == "mistral":
        mistral = importlib.import_module("mistralai.client")
        with mistral.Mistral(api_key=server.key, server_url=server.origin) as client:
            yield client
    elif vendor == "azure_openai":
        openai = importlib.import_module("openai")
        with openai.AzureOpenAI(
            api_key=server.key, azure_endpoint=server.base_url, api_version="2025-04-01-preview", max_retries=0
        ) as client:
            yield client
    else:
        module, name = {"anthropic": ("anthropic", "Anthropic"), "groq": ("groq", "Groq")}.get(
            vendor, ("openai", "OpenAI")
        )
        url = server.origin if vendor == "groq" else server.base_url
        with getattr(importlib.import_module(module), name)(api_key=server.key, base_url=url, max_retries=0) as client:
            yield client


class TestAnthropic:
    REQUEST: dict[str, Any] = {  # noqa: RUF012
        "model": "claude-sonnet-4-6",
        "max_tokens": 4000,
        "messages": USER,
        "thinking": {"type": "adaptive"},
        "tools": [{"name": "look", "input_schema": SCHEMA}],
    }

    def test_plain_then_results(self) -> None:
        with serving("anthropic", turn(), "done") as (_, client):
            message = client.messages.create(**self.REQUEST)
            assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
            assert message.content[2].input == {"at": "söuth"}
            assert message.stop_reason == "tool_use"
            assert (message.usage.input_tokens, message.usage.cache_read_input_tokens) == (50, 40)
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": "a hill"}
                for block in message.content
                if block.type == "tool_use"
            ]
            messages = [*USER, {"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
            last = client.messages.create(**{**self.REQUEST, "messages": messages})
            assert (last.content[0].text, last.stop_reason) == ("done", "end_turn")

    def test_stream(self) -> None:
        with serving("anthropic", turn()) as (_, client), client.messages.stream(**self.REQUEST) as stream:
            kinds = [event.type for event in stream]
            message = stream.get_final_message()
        assert message.content[0].signature
        assert message.content[1].text == TEXT
        assert message.content[3].input == {"at": "north"}
        assert kinds.count("text") > 1
        assert message.usage.output_tokens == 30

    def test_redacted_thinking_and_refusal(self) -> None:
        reply = Reply(Thinking(redacted=True, signature="abc="), "No.", stop="refusal")
        with serving("anthropic", reply) as (_, client), client.messages.stream(**self.REQUEST) as stream:
            message = stream.get_final_message()
        assert message.content[0].data == "abc="
        assert message.stop_reason == "refusal"
        assert message.stop_details.type == "refusal"

    def test_models(self) -> None:
        with serving("anthropic") as (_, client):
            assert "claude-sonnet-4-6" in [model.id for model in client.models.list()]

    @pytest.mark.parametrize(
        ("status", "name"),
        [(400, "BadRequestError"), (401, "AuthenticationError"), (404, "NotFoundError"), (429, "RateLimitError"),
         (500, "InternalServerError"), (529, "OverloadedError")],
    )  # fmt: skip
    def test_errors(self, status: int, name: str) -> None:
        expected = getattr(importlib.import_module("anthropic"), name)
        with serving("anthropic", Reply(fault=faults.error(status))) as (_, client), pytest.raises(expected):
            client.messages.create(**self.REQUEST)

    def test_refused_requests(self) -> None:
        anthropic = importlib.import_module("anthropic")
        with serving("anthropic") as (server, client):
            with pytest.raises(anthropic.BadRequestError, match="first message must use"):
                client.messages.create(**{**self.REQUEST, "messages": [{"role": "assistant", "content": "I"}]})
            with pytest.raises(anthropic.AuthenticationError):
                client.with_options(api_key="wrong").messages.create(**self.REQUEST)
            assert len(server.refusals) == 2

    def test_error_inside_a_stream(self) -> None:
        anthropic = importlib.import_module("anthropic")
        with (
            serving("anthropic", Reply(TEXT, fault=faults.error_in_stream(3))) as (_, client),
            client.messages.stream(**self.REQUEST) as stream,
            pytest.raises(anthropic.APIStatusError, match="overloaded"),
        ):
            stream.get_final_message()


CHAT_TOOLS = [{"type": "function", "function": {"name": "look", "parameters": SCHEMA}}]
CHAT_HOSTS = ["openai", "azure_openai", "openrouter", "groq", "together", "deepseek", "fireworks", "xai", "local"]


class TestChat:
    REQUEST: dict[str, Any] = {"model": "gpt-4o", "messages": USER, "tools": CHAT_TOOLS}  # noqa: RUF012

    @pytest.mark.parametrize("host", CHAT_HOSTS)
    def test_plain_then_results(self, host: str) -> None:
        with serving(host, turn(), "done") as (_, client):
            answer = client.chat.completions.create(**self.REQUEST)
            message = answer.choices[0].message
            assert message.content == TEXT
            assert [json.loads(call.function.arguments)["at"] for call in message.tool_calls] == ["söuth", "north"]
            assert answer.choices[0].finish_reason == "tool_calls"
            assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (100, 30)
            results = [{"role": "tool", "tool_call_id": call.id, "content": "a hill"} for call in message.tool_calls]
            back = message.to_dict()
            messages = [*USER, {name: back[name] for name in back if name != "annotations"}, *results]
            last = client.chat.completions.create(**{**self.REQUEST, "messages": messages})
            assert last.choices[0].message.content == "done"

    @pytest.mark.parametrize("host", CHAT_HOSTS)
    def test_stream(self, host: str) -> None:
        options = {} if host == "groq" else {"stream_options": {"include_usage": True}}
        with serving(host, turn()) as (_, client):
            chunks = list(client.chat.completions.create(**self.REQUEST, **options, stream=True))
        deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
        assert "".join(delta.content or "" for delta in deltas) == TEXT
        arguments = ["", ""]
        for delta in deltas:
            for call in delta.tool_calls or []:
                arguments[call.index] += call.function.arguments or ""
        assert [json.loads(text)["at"] for text in arguments] == ["söuth", "north"]
        reasons = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices]
        assert [reason for reason in reasons if reason] == ["tool_calls"]
        usage = chunks[-1].x_groq.usage if host == "groq" else chunks[-1].usage
        assert usage.completion_tokens == 30

    def test_refusal_and_models(self) -> None:
        with serving("openai", Reply("I cannot.", stop="refusal")) as (_, client):
            assert client.chat.completions.create(**self.REQUEST).choices[0].message.refusal == "I cannot."
            assert "gpt-4o" in [model.id for model in client.models.list()]

    @pytest.mark.parametrize("host", ["openai", "azure_openai", "openrouter", "local", "groq"])
    @pytest.mark.parametrize(
        ("status", "name"),
        [(400, "BadRequestError"), (401, "AuthenticationError"), (404, "NotFoundError"), (429, "RateLimitError"),
         (422, "UnprocessableEntityError"), (500, "InternalServerError")],
    )  # fmt: skip
    def test_errors(self, host: str, status: int, name: str) -> None:
        module = importlib.import_module("groq" if host == "groq" else "openai")
        with serving(host, Reply(fault=faults.error(status))) as (_, client), pytest.raises(getattr(module, name)):
            client.chat.completions.create(**self.REQUEST)

    def test_refused_requests(self) -> None:
        openai = importlib.import_module("openai")
        with serving("openai") as (_, client):
            with pytest.raises(openai.BadRequestError) as caught:
                client.chat.completions.create(**self.REQUEST, extra_body={"messages": []})
            assert caught.value.code == "empty_array"
            with pytest.raises(openai.AuthenticationError) as denied:
                client.with_options(api_key="wrong").chat.completions.create(**self.REQUEST)
            assert denied.value.code == "invalid_api_key"

    @pytest.mark.parametrize("host", ["openai", "openrouter", "local"])
    def test_error_inside_a_stream(self, host: str) -> None:
        openai = importlib.import_module("openai")
        with (
            serving(host, Reply(TEXT, fault=faults.error_in_stream(2, "no longer"))) as (_, client),
            pytest.raises(openai.APIError, match="no longer"),
        ):
            list(client.chat.completions.create(**self.REQUEST, stream=True))


class TestResponses:
    REQUEST: dict[str, Any] = {  # noqa: RUF012
        "model": "gpt-5",
        "input": USER,
        "tools": [{"type": "function", "name": "look", "parameters": SCHEMA, "strict": False}],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }

    @pytest.mark.parametrize("host", ["openai", "azure_openai"])
    def test_plain_then_results(self, host: str) -> None:
        with serving(host, turn(), "done") as (_, client):
            response = client.responses.create(**self.REQUEST)
            assert [item.type for item in response.output] == ["reasoning", "message", "function_call", "function_call"]
            assert response.output_text == TEXT
            assert response.usage.input_tokens_details.cached_tokens == 40
            results = [
                {"type": "function_call_output", "call_id": item.call_id, "output": "a hill"}
                for item in response.output
                if item.type == "function_call"
            ]
            items = [*USER, *(item.to_dict() for item in response.output), *results]
            assert client.responses.create(**{**self.REQUEST, "input": items}).output_text == "done"

    def test_stream(self) -> None:
        with serving("openai", turn()) as (_, client), client.responses.stream(**self.REQUEST) as stream:
            kinds = {event.type for event in stream}
            response = stream.get_final_response()
        assert response.output[0].encrypted_content
        assert response.output_text == TEXT
        assert json.loads(response.output[2].arguments) == {"at": "söuth"}
        assert {"response.reasoning_summary_text.delta", "response.completed"} <= kinds

    def test_incomplete(self) -> None:
        with serving("openai", Reply(TEXT, stop="max_tokens")) as (_, client):
            response = client.responses.create(**self.REQUEST)
        assert (response.status, response.incomplete_details.reason) == ("incomplete", "max_output_tokens")

    def test_stored_responses(self) -> None:
        with serving("openai", turn(), "done") as (_, client):
            first = client.responses.create(**{**self.REQUEST, "store": True, "include": []})
            results = [
                {"type": "function_call_output", "call_id": item.call_id, "output": "x"} for item in first.output[2:]
            ]
            request = {**self.REQUEST, "input": results, "previous_response_id": first.id}
            assert client.responses.create(**request).output_text == "done"

    def test_a_failed_response(self) -> None:
        reply = Reply(TEXT, fault=faults.error_in_stream(3, "broken", code="response_failed"))
        with serving("openai", reply) as (_, client):
            events = list(client.responses.create(**self.REQUEST, stream=True))
        assert events[-1].response.error.message == "broken"


class TestGemini:
    MODEL = "gemini-3-pro-preview"

    @staticmethod
    def config() -> dict[str, Any]:
        declaration = {"name": "look", "parameters": {"type": "OBJECT", "properties": {"at": {"type": "STRING"}}}}
        return {
            "tools": [{"function_declarations": [declaration]}],
            "system_instruction": "Be brief.",
            "automatic_function_calling": {"disable": True},
            "thinking_config": {"include_thoughts": True},
        }

    def test_plain_then_results(self) -> None:
        types = importlib.import_module("google.genai.types")
        with serving("gemini", turn(), "done") as (server, client):
            answer = client.models.generate_content(model=self.MODEL, contents="look twice", config=self.config())
            assert answer.text == TEXT
            assert [call.args for call in answer.function_calls] == [{"at": "söuth"}, {"at": "north"}]
            assert answer.usage_metadata.thoughts_token_count == 12
            parts = [types.Part.from_function_response(name="look", response={"result": "a hill"})] * 2
            question = types.Content(role="user", parts=[types.Part(text="look twice")])
            contents = [question, answer.candidates[0].content, types.Content(role="user", parts=parts)]
            last = client.models.generate_content(model=self.MODEL, contents=contents, config=self.config())
            assert last.text == "done"
            assert b"thoughtSignature" in server.requests[1].body

    def test_stream(self) -> None:
        with serving("gemini", turn()) as (_, client):
            chunks = list(
                client.models.generate_content_stream(model=self.MODEL, contents="look twice", config=self.config())
            )
        parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
        assert "".join(part.text for part in parts if part.text and not part.thought) == TEXT
        assert [part.function_call.args["at"] for part in parts if part.function_call] == ["söuth", "north"]
        assert chunks[-1].candidates[0].finish_reason == "STOP"

    def test_models(self) -> None:
        with serving("gemini") as (_, client):
            assert "models/gemini-2.5-pro" in [model.name for model in client.models.list()]

    @pytest.mark.parametrize(("status", "name"), [(400, "ClientError"), (429, "ClientError"), (503, "ServerError")])
    def test_errors(self, status: int, name: str) -> None:
        errors = importlib.import_module("google.genai.errors")
        with (
            serving("gemini", Reply(fault=faults.error(status))) as (_, client),
            pytest.raises(getattr(errors, name)) as caught,
        ):
            client.models.generate_content(model=self.MODEL, contents="x")
        assert caught.value.code == status

    def test_a_wrong_key(self) -> None:
        genai = importlib.import_module("google.genai")
        with (
            vendor_server("gemini") as server,
            genai.Client(api_key="wrong", http_options={"base_url": server.base_url}) as client,
            pytest.raises(genai.errors.ClientError, match="API_KEY_INVALID"),
        ):
            client.models.generate_content(model=self.MODEL, contents="x")


class TestOllama:
    def request(self) -> dict[str, Any]:
        return {"model": "llama3.2", "messages": USER, "tools": CHAT_TOOLS, "options": {"num_ctx": 4096}, "think": True}

    @contextlib.contextmanager
    def client(self, *replies: Reply | str) -> Iterator[Any]:
        ollama = importlib.import_module("ollama")
        with vendor_server("ollama", replies) as server:
            client = ollama.Client(host=server.base_url.removeprefix("http://"))
            yield client
            client._client.close()

    def test_plain_then_results(self) -> None:
        with self.client(turn(), "done") as client:
            answer = client.chat(**self.request())
            assert (answer.message.content, answer.message.thinking) == (TEXT, "Twice.")
            assert [call.function.arguments for call in answer.message.tool_calls] == [{"at": "söuth"}, {"at": "north"}]
            result = {"role": "tool", "tool_name": "look", "content": "a hill"}
            messages = [*USER, answer.message, result, result]
            assert client.chat(**{**self.request(), "messages": messages}).message.content == "done"

    def test_stream(self) -> None:
        with self.client(turn()) as client:
            chunks = list(client.chat(**self.request(), stream=True))
        assert "".join(chunk.message.content for chunk in chunks) == TEXT
        assert (chunks[-1].done, chunks[-1].eval_count) == (True, 30)

    def test_errors(self) -> None:
        ollama = importlib.import_module("ollama")
        with self.client(
            Reply(fault=faults.error(500)), Reply(TEXT, fault=faults.error_in_stream(1, "gone"))
        ) as client:
            with pytest.raises(ollama.ResponseError):
                client.chat(**self.request())
            with pytest.raises(ollama.ResponseError, match="gone"):
                list(client.chat(**self.request(), stream=True))
            with pytest.raises(ollama.ResponseError, match="not found"):
                client.chat(**{**self.request(), "model": "nobody"})
            assert client.list().models[0].model == "llama3.2:latest"


class TestFields:
    """The fakes know no field that the official client does not know, apart from the ones listed here."""

    @pytest.mark.parametrize("version", ["2023-06-01", "2026-10-21"])
    def test_anthropic(self, version: str) -> None:
        params = importlib.import_module("anthropic.types.message_create_params")
        known = set(params.MessageCreateParamsNonStreaming.__annotations__) | set(
            params.MessageCreateParamsBase.__annotations__
        )
        sampling = {"temperature", "top_p", "top_k"} if version == "2023-06-01" else set()
        shape = importlib.import_module("tests.vendors.anthropic_rules").SHAPES[version]
        assert set(shape.fields) - known - {"stream"} == sampling

    @pytest.mark.parametrize(
        ("module", "name", "shape", "unknown"),
        [
            ("openai.types.chat.completion_create_params", "CompletionCreateParamsBase", "openai", set()),
            ("openai.types.responses.response_create_params", "ResponseCreateParamsBase", "responses", set()),
            ("groq.types.chat.completion_create_params", "CompletionCreateParams", "groq", {"stream_options"}),
        ],
    )
    def test_openai_and_groq(self, module: str, name: str, shape: str, unknown: set[str]) -> None:
        known = set(getattr(importlib.import_module(module), name).__annotations__)
        responses = importlib.import_module("tests.vendors.openai_responses_rules").BODY
        hosts = importlib.import_module("tests.vendors.hosts").HOSTS
        fields = set(responses.fields if shape == "responses" else hosts[shape].shape.fields)
        assert fields - known - {"stream"} == unknown

    def test_mistral_and_ollama(self) -> None:
        mistral = importlib.import_module("mistralai.client.models").ChatCompletionRequest
        ollama = importlib.import_module("ollama._types")
        hosts = importlib.import_module("tests.vendors.hosts").HOSTS
        rules = importlib.import_module("tests.vendors.ollama")
        assert set(hosts["mistral"].shape.fields) <= set(mistral.model_fields)
        assert set(rules.BODY.fields) - set(ollama.ChatRequest.model_fields) <= {"truncate", "shift"}
        assert set(ollama.Options.model_fields) - set(rules.OPTIONS.fields) == set()

    def test_gemini(self) -> None:
        types = importlib.import_module("google.genai.types")
        rules = importlib.import_module("tests.vendors.gemini_rules")
        pairs = {
            "GenerationConfig": rules.GENERATION,
            "Part": rules.PART,
            "FunctionDeclaration": rules.DECLARATION,
            "Tool": rules.TOOL,
            "Schema": rules.FIELDS,
        }
        for name, shape in pairs.items():
            known = {field.alias or field_name for field_name, field in getattr(types, name).model_fields.items()}
            extra = set(shape.fields) - known
            assert extra <= {"imageConfig"}, name


class TestMistral:
    REQUEST: dict[str, Any] = {"model": "mistral-large-latest", "messages": USER, "tools": CHAT_TOOLS}  # noqa: RUF012

    def test_plain_then_results(self) -> None:
        with serving("mistral", Reply(TEXT, ToolCall("look", {"at": "x"})), "done") as (_, client):
            message = client.chat.complete(**self.REQUEST, random_seed=3).choices[0].message
            assert (message.content, len(message.tool_calls[0].id)) == (TEXT, 9)
            result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "a hill"}
            last = client.chat.complete(**{**self.REQUEST, "messages": [*USER, message, result]})
            assert last.choices[0].message.content == "done"

    def test_stream_with_thinking(self) -> None:
        with serving("mistral", turn()) as (_, client), client.chat.stream(**self.REQUEST) as stream:
            chunks = [event.data for event in stream]
        texts = [chunk.choices[0].delta.content for chunk in chunks]
        assert "".join(text for text in texts if isinstance(text, str)) == TEXT
        assert chunks[-1].usage.completion_tokens == 30
        assert any(chunk.choices[0].delta.tool_calls for chunk in chunks)

    def test_errors(self) -> None:
        errors = importlib.import_module("mistralai.client.errors")
        with serving("mistral", Reply(fault=faults.error(500))) as (_, client):
            with pytest.raises(errors.SDKError):
                client.chat.complete(**self.REQUEST)
            with pytest.raises(errors.HTTPValidationError):
                client.chat.complete(**{**self.REQUEST, "messages": []})
