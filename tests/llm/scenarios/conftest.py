"""The fake vendors, for all tests in this folder."""

from tests.llm.scenarios.runs import servers, vendors

__all__ = ["servers", "vendors"]
