# The shop's assistant of ../openai in Python.
import json
import os
import re

from openai import OpenAI


def tool(name, description, argument):
    parameters = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [tool("look_up", "The price of a fruit.", "fruit"), tool("calculate", "Calculates.", "expression")]


def calculated(expression):
    """Sums of products of whole numbers."""
    if not re.fullmatch(r"\d+([*+]\d+)*", expression, re.ASCII):
        return "error"
    total = 0
    for term in expression.split("+"):
        product = 1
        for number in term.split("*"):
            product *= int(number)
        total += product
    return str(total)


def result(call, prices):
    try:
        arguments = json.loads(call.function.arguments)
    except json.JSONDecodeError as error:
        return str(error)
    if call.function.name == "look_up":
        return str(prices.get(str(arguments.get("fruit")), "unknown"))
    return calculated(str(arguments.get("expression")))


def answer(question, prices):
    client = OpenAI()
    messages = [{"role": "user", "content": question}]
    for _ in range(6):
        completion = client.chat.completions.create(model="agent", max_tokens=60, messages=messages, tools=TOOLS)
        message = completion.choices[0].message
        if not message.tool_calls:
            return message.content
        calls = [call.model_dump(include={"id", "type", "function"}) for call in message.tool_calls]
        messages.append({"role": "assistant", "content": message.content, "tool_calls": calls})
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result(call, prices)})
    return None


task = json.loads(os.environ["BOWYER_TASK"])
said = answer(task["question"], task["prices"])
print(json.dumps({"reward": 1 if said == str(task["answer"]) else 0}))
