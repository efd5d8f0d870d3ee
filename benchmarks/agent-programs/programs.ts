// The command of each program for one task without a person, with its settings for a server. The programs use no other network.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tasks, type ProgramName } from './task.js';

export interface Place {
  /** The server's address, without `/v1`. */
  origin: string;
  /** A folder for the program only. */
  home: string;
  /** The folder of the task. */
  work: string;
}

export interface Program {
  package: string;
  /** The file to run, within node_modules. */
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Writes the files that the program reads. */
  prepare?: (place: Place) => void;
}

const codexConfig = (origin: string) => `model = "tiny"
model_provider = "bowyer"
model_context_window = 65536

[model_providers.bowyer]
name = "Bowyer"
base_url = "${origin}/v1"
wire_api = "responses"
env_key = "BOWYER_KEY"
`;

const opencodeConfig = (origin: string) => ({
  model: 'bowyer/tiny',
  small_model: 'bowyer/tiny',
  autoupdate: false,
  share: 'disabled',
  permission: { bash: 'allow' },
  provider: {
    bowyer: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${origin}/v1`, apiKey: 'any' },
      models: { tiny: { limit: { context: 65_536, output: 1_000 } } },
    },
  },
});

export function programAt(name: ProgramName, { origin, home }: Place): Program {
  const { prompt } = tasks[name];
  const programs: Record<ProgramName, Program> = {
    codex: {
      package: '@openai/codex',
      file: '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
      args: ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', prompt],
      env: { CODEX_HOME: home, BOWYER_KEY: 'any' },
      prepare: () => writeFileSync(join(home, 'config.toml'), codexConfig(origin)),
    },
    opencode: {
      package: 'opencode-ai',
      file: 'opencode-linux-x64/bin/opencode',
      args: ['run', prompt],
      env: { OPENCODE_DISABLE_MODELS_FETCH: '1' },
      prepare: ({ work }) => writeFileSync(join(work, 'opencode.json'), JSON.stringify(opencodeConfig(origin))),
    },
    'claude-code': {
      package: '@anthropic-ai/claude-code',
      file: '@anthropic-ai/claude-code-linux-x64/claude',
      args: ['-p', prompt, '--model', 'tiny', '--allowedTools', 'Bash'],
      env: {
        ANTHROPIC_BASE_URL: origin,
        ANTHROPIC_API_KEY: 'any',
        ANTHROPIC_SMALL_FAST_MODEL: 'tiny',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        API_TIMEOUT_MS: '1400000',
      },
    },
  };
  return programs[name];
}
