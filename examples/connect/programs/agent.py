"""The assistant as a program in another language: one line of JSON in, one line of JSON out."""

import json
import re
import sys


def text(content):
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def call_tool(name, args):
    return {
        "content": "",
        "tool_calls": [{"name": name, "args": args}],
        "finish_reason": "tool_calls",
    }


def after_tool(message, number):
    if message["tool_name"] == "ask_user":
        return {"content": f"Noted: parcels go to {message['content']} from now on."}
    result = json.loads(message["content"])
    if "error" in result:
        return {"content": "I cannot reach the depot at the moment. Goodbye."}
    if message["tool_name"] == "find_parcel":
        return {
            "content": f"Parcel {number} is {result['status']} in {result['city']}. "
            "Shall I have it held at the depot?"
        }
    return {"content": f"Done. Parcel {number} is held until {result['until']}."}


def assistant(messages):
    user = [text(m["content"]) for m in messages if m["role"] == "user"][-1]
    found = re.search(r"\d{4}", "\n".join(text(m["content"]) for m in messages))
    number = found.group(0) if found else None
    if messages[-1]["role"] == "tool":
        return after_tool(messages[-1], number)
    if re.search(r"where is", user, re.IGNORECASE) and number:
        return call_tool("find_parcel", {"number": number})
    if re.match(r"yes", user, re.IGNORECASE):
        return call_tool("hold_parcel", {"number": number})
    if re.search(r"address", user, re.IGNORECASE):
        return call_tool("ask_user", {"question": "What is the new address?"})
    return {"content": "Hello! What is the number of your parcel?"}


for line in sys.stdin:
    request = json.loads(line)
    # What is for people goes to stderr. It ends up in the transcript.
    print("turn", request["turn"], file=sys.stderr, flush=True)
    print(json.dumps(assistant(request["messages"])), flush=True)
