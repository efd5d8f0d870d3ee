// Claude Code, Codex or OpenCode as the agent, as their users have them: node program.mjs codex
// The program is asked to repair a copy of the repository, and calls the model of its rollout. The reward is that of agent.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repair } from './agent.mjs';

const { PATH, OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, BOWYER_TASK } = process.env;
/** Tokens that the program takes for the model's context. */
const CONTEXT = 65_536;

const codexConfig = `model = "policy"
model_provider = "rollout"
model_context_window = ${CONTEXT}

[model_providers.rollout]
name = "rollout"
base_url = "${OPENAI_BASE_URL}"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
`;

const opencodeConfig = JSON.stringify({
  model: 'rollout/policy',
  small_model: 'rollout/policy',
  autoupdate: false,
  share: 'disabled',
  permission: { bash: 'allow' },
  provider: {
    rollout: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY },
      models: { policy: { limit: { context: CONTEXT, output: 1_000 } } },
    },
  },
});

/** How each program is started for one task without a person. `files` are written into a home of its own. */
const programs = {
  codex: (prompt, home) => ({
    args: ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', prompt],
    env: { CODEX_HOME: home, OPENAI_API_KEY },
    files: { 'config.toml': codexConfig },
  }),
  opencode: (prompt, home) => ({
    args: ['run', prompt],
    env: { OPENCODE_CONFIG: join(home, 'opencode.json'), OPENCODE_DISABLE_MODELS_FETCH: '1' },
    files: { 'opencode.json': opencodeConfig },
  }),
  claude: (prompt) => ({
    args: ['-p', prompt, '--model', 'policy', '--allowedTools', 'Bash'],
    env: {
      ANTHROPIC_BASE_URL,
      ANTHROPIC_API_KEY,
      ANTHROPIC_SMALL_FAST_MODEL: 'policy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    files: {},
  }),
};

async function work(folder, name, prompt) {
  const home = await mkdtemp(join(tmpdir(), `${name}-`));
  try {
    const { args, env, files } = programs[name](prompt, home);
    for (const [file, text] of Object.entries(files)) await writeFile(join(home, file), text);
    const options = { cwd: folder, env: { PATH, HOME: home, ...env }, stdio: ['ignore', 'inherit', 'inherit'] };
    const [code] = await once(spawn(name, args, options), 'exit');
    if (code !== 0) throw new Error(`${name} ended with exit code ${code}`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const [name] = process.argv.slice(2);
const task = JSON.parse(BOWYER_TASK);
const passes = await repair(task, {}, (folder) => work(folder, name, `Repair ${task.file}, whose test fails.`));
console.log(JSON.stringify({ reward: passes ? 1 : 0 }));
