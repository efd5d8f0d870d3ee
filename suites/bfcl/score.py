"""Makes the right calls of BFCL's questions, and lets its own checker judge calls: score.py REPOSITORY make|judge FILE."""

import json
import os
import sys
import types

CATEGORIES = ["simple_python", "multiple", "parallel", "parallel_multiple", "irrelevance"]


def prepare(repository):
    """Makes the checker importable: the table of models, which imports every client of a model, has one line here."""
    sys.path.insert(0, repository)
    table = types.ModuleType("bfcl_eval.constants.model_config")
    table.MODEL_CONFIG_MAPPING = {"served": types.SimpleNamespace(underscore_to_dot=True)}
    sys.modules["bfcl_eval.constants.model_config"] = table


def lines(repository, name):
    with open(os.path.join(repository, "bfcl_eval/data", f"BFCL_v4_{name}.json")) as file:
        return [json.loads(line) for line in file]


def schema(described, types_of_json):
    """Writes a parameter's type as JSON Schema has it."""
    made = dict(described)
    made["type"] = types_of_json.get(described.get("type"), "string")
    if "properties" in made:
        made["properties"] = {key: schema(value, types_of_json) for key, value in made["properties"].items()}
    if "items" in made:
        made["items"] = schema(made["items"], types_of_json)
    return made


LEFT_OUT = object()


def chosen(possible):
    """Takes the first value of those that are right; members of objects have lists of them as well."""
    values = [value for value in possible if value != ""]
    if not values:
        return LEFT_OUT
    return plain(values[0])


def plain(value):
    if isinstance(value, dict):
        return taken(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def taken(members):
    pairs = [(key, chosen(possible) if isinstance(possible, list) else plain(possible)) for key, possible in members.items()]
    return {key: value for key, value in pairs if value is not LEFT_OUT}


def make(repository):
    from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI

    for category in CATEGORIES:
        questions = lines(repository, category)
        answers = {}
        if category != "irrelevance":
            answers = {line["id"]: line["ground_truth"] for line in possible(repository, category)}
        for question in questions:
            yield {
                "id": question["id"],
                "category": category,
                "messages": question["question"][0],
                "tools": [
                    {
                        "type": "function",
                        "function": {
                            "name": function["name"].replace(".", "_"),
                            "description": function["description"],
                            "parameters": schema(function["parameters"], GORILLA_TO_OPENAPI),
                        },
                    }
                    for function in question["function"]
                ],
                "calls": [
                    {"name": name.replace(".", "_"), "arguments": taken(members)}
                    for call in answers.get(question["id"], [])
                    for name, members in call.items()
                ],
            }


def possible(repository, category):
    with open(os.path.join(repository, "bfcl_eval/data/possible_answer", f"BFCL_v4_{category}.json")) as file:
        return [json.loads(line) for line in file]


def judge(repository, file):
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    functions = {line["id"]: line["function"] for category in CATEGORIES for line in lines(repository, category)}
    truths = {line["id"]: line["ground_truth"] for category in CATEGORIES[:-1] for line in possible(repository, category)}
    with open(file) as answers:
        for answer in map(json.loads, answers):
            category, calls = answer["category"], answer["calls"]
            if category == "irrelevance":
                yield {"valid": calls == [], "error": [f"{len(calls)} calls"]}
                continue
            decoded = [{call["name"]: call["arguments"]} for call in calls]
            try:
                yield ast_checker(
                    functions[answer["id"]], decoded, truths[answer["id"]], Language.PYTHON, category, "served"
                )
            except Exception as error:
                yield {"valid": False, "error": [f"{type(error).__name__}: {error}"]}


def main(repository, what, file):
    prepare(repository)
    if what == "make":
        with open(file, "w") as made:
            made.writelines(json.dumps(line) + "\n" for line in make(repository))
        return
    for result in judge(repository, file):
        print(json.dumps({"valid": result["valid"], "error": str(result.get("error", ""))[:300]}))


main(*sys.argv[1:])
