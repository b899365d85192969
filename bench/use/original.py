"""The Python capability that the bench compares with: one JSON object a line in, one a line out.

{"id": ..., "value": ...} is a tool's result; {"read": {...}} calls the read tool. The answer is a JSON string.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from pydantic_ai import RunContext, ToolReturn
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RunUsage
from pydantic_ai_harness.tool_output_limits import LocalFileStore, ToolOutputLimits


async def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        limits = ToolOutputLimits(store=LocalFileStore(Path(root)))
        context = RunContext(deps=None, model=TestModel(), usage=RunUsage(), run_id='use')
        read = limits.get_toolset().tools['read_tool_result'].function
        for line in sys.stdin:
            asked = json.loads(line)
            if 'read' in asked:
                answer = await read(context, **asked['read'])
            else:
                call = ToolCallPart(tool_name='tool', args={}, tool_call_id=asked['id'])
                definition = ToolDefinition(name='tool')
                answer = await limits.after_tool_execute(
                    context, call=call, tool_def=definition, args={}, result=asked['value']
                )
                answer = answer.return_value if isinstance(answer, ToolReturn) else answer
            print(json.dumps(answer), flush=True)


asyncio.run(main())
