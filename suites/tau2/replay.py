"""Calls tau2's tools, and judges episodes, as its own code does; records what its own tests call.

replay.py REPOSITORY GIVEN FOUND reads JSON lines with `calls` (one database each; or `shared`, the database of all such lines) or
with `task` and `messages`, and writes a line for each. As a plugin of pytest it writes the calls of tests to BOWYER_RECORD.
"""

import copy
import json
import os
import pickle
import sys
import types


def prepare(repository):
    """Makes tau2's modules importable one by one: its package imports clients of models, and addict, none of which is used."""
    package = types.ModuleType("tau2")
    package.__path__ = [os.path.join(repository, "src", "tau2")]
    sys.modules["tau2"] = package
    addict = types.ModuleType("addict")
    addict.Dict = dict
    sys.modules["addict"] = addict
    from loguru import logger

    logger.remove()


if "BOWYER_RECORD" in os.environ:
    prepare(os.environ["BOWYER_REPOSITORY"])

from_tests = []


def pytest_runtest_setup(item):
    from tau2.environment.environment import Environment

    if not hasattr(Environment, "unrecorded"):
        Environment.unrecorded = Environment.get_response

        def get_response(self, message):
            before = self.tools.db.model_dump()
            call = {"name": message.name, "arguments": copy.deepcopy(message.arguments)}
            response = self.unrecorded(message)
            from_tests.append(
                {
                    "test": get_response.test,
                    "before": before,
                    "call": call,
                    "text": response.content,
                    "hash": self.get_db_hash(),
                }
            )
            return response

        Environment.get_response = get_response
    Environment.get_response.test = item.name


def pytest_sessionfinish():
    with open(os.environ["BOWYER_RECORD"], "w") as file:
        file.writelines(json.dumps(call) + "\n" for call in from_tests)


def main(given, found):
    from tau2.data_model.message import AssistantMessage, ToolCall, ToolMessage
    from tau2.domains.retail.data_model import RetailDB
    from tau2.domains.retail.environment import get_environment, get_tasks
    from tau2.domains.retail.utils import RETAIL_DB_PATH
    from tau2.evaluator.evaluator_communicate import CommunicateEvaluator
    from tau2.evaluator.evaluator_env import EnvironmentEvaluator

    database = pickle.dumps(RetailDB.load(RETAIL_DB_PATH))
    tasks = {task.id: task for task in get_tasks()}

    def environment(solo_mode=False):
        return get_environment(pickle.loads(database))

    shared = environment()

    def called(world, call):
        return world.get_response(ToolCall(id="0", name=call["name"], arguments=call["arguments"]))

    def judged(task, messages):
        world = environment()
        history = []
        for message in messages:
            if isinstance(message, str):
                history.append(AssistantMessage(role="assistant", content=message))
                continue
            call = ToolCall(id="0", name=message["name"], arguments=message["arguments"])
            response = called(world, message)
            history.append(AssistantMessage(role="assistant", tool_calls=[call]))
            history.append(ToolMessage(id="0", role="tool", content=response.content, requestor="assistant"))
        return {
            "database": EnvironmentEvaluator.calculate_reward(environment, tasks[task], history).db_check.db_reward,
            "communicated": CommunicateEvaluator.calculate_reward(tasks[task], history).reward,
        }

    with open(given) as lines, open(found, "w") as file:
        for line in map(json.loads, lines):
            if "task" in line:
                answer = judged(line["task"], line["messages"])
            else:
                world = shared if line.get("shared") else environment()
                texts = [called(world, call).content for call in line["calls"]]
                answer = {"texts": texts, "hash": None if line.get("shared") and not line.get("last") else world.get_db_hash()}
            file.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    prepare(sys.argv[1])
    main(*sys.argv[2:])
