"""Lets Gymnasium check an environment that is served over OpenEnv's protocol, by OpenEnv's own client: check.py URL."""

import json
import string
import sys
import traceback
import warnings

import gymnasium
from gymnasium.spaces import Text
from gymnasium.utils import env_checker
from openenv.core.generic_client import GenericEnvClient


class ServedEnv(gymnasium.Env):
    """Plays a served environment of texts."""

    metadata = {"render_modes": []}

    def __init__(self, url):
        self.action_space = Text(max_length=40, charset=string.ascii_letters + " ?")
        self.observation_space = Text(min_length=0, max_length=1_000_000, charset=map(chr, range(0x3000)))
        self.render_mode = None
        self.client = GenericEnvClient(base_url=url).sync()
        self.client.__enter__()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        given = {} if seed is None else {"seed": seed}
        return self._read(self.client.reset(**given, **(options or {})))

    def step(self, action):
        result = self.client.step({"message": action})
        observation, info = self._read(result)
        is_cut = info.get("end_reason") == "turn_limit"
        return observation, float(result.reward or 0), bool(result.done) and not is_cut, is_cut, info

    def close(self):
        if self.client is not None:
            self.client.__exit__(None, None, None)
            self.client = None

    @staticmethod
    def _read(result):
        info = dict(result.observation)
        return info.pop("text"), info


def outcome(check):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            check()
        except Exception as error:
            return f"{type(error).__name__}: {error}" or traceback.format_exc()
    return "; ".join(str(each.message) for each in caught if issubclass(each.category, (UserWarning,))) or None


def main(url):
    checks = {name: getattr(env_checker, name) for name in dir(env_checker) if name.startswith("check_")}
    parts = ["check_reset_seed_determinism", "check_reset_options", "check_step_determinism", "check_reset_return_type"]
    env = ServedEnv(url)
    found = {name: outcome(lambda: checks[name](env)) for name in parts}
    env.close()
    found["check_env"] = outcome(lambda: env_checker.check_env(ServedEnv(url), skip_render_check=True))
    print(json.dumps(found))


main(sys.argv[1])
