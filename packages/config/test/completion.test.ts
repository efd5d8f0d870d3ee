// Tests TAB completion of flags and their values, config values, files and sweeps, and the installed function in a real bash, which
// splits words at '='. Hydra's recorded answers are tested elsewhere.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { when } from '@bowyer/testing';
import { runProgram } from './run-program.js';
import { temporaryTree } from './temporary-tree.js';

const configs = {
  'conf/config.yaml':
    'defaults:\n  - agent: ppo\n  - _self_\nseed: 1\nfast: true\nsize: small\nmodel: {layers: 2, head: {width: 3}}\n',
  'conf/other.yaml': 'defaults:\n  - agent: ???\nother: 1\n',
  'conf/agent/ppo.yaml': 'kind: ppo\n',
  'conf/agent/dqn.yaml': 'kind: dqn\nbuffer: 100\n',
  'data/first.jsonl': '',
  'data/folder/': '',
};

const schema = {
  type: 'object',
  properties: { size: { enum: ['small', 'smaller', 'large'] }, fast: { type: 'boolean' } },
};

async function complete(line: string, point = line.length): Promise<string[]> {
  const env = { COMP_LINE: line, COMP_POINT: String(point) };
  const { stdout } = await runProgram(temporaryTree(configs), ['-sc', 'query=fish'], { env, describe: () => schema });
  return stdout.split('\n').filter((candidate) => candidate !== '');
}

test.each([
  ['app --conf', ['--config-dir', '--config-name', '--config-path']],
  ['app --cfg ', ['all', 'hydra', 'job']],
  ['app -cn ', ['config', 'other']],
  ['app --info def', ['defaults', 'defaults-tree']],
  ['app --cfg job -p model.', ['model.head.', 'model.layers']],
  ['app --config-dir da', ['data/']],
  ['app --config-name other oth', ['other=']],
  ['app model.head.', ['model.head.width=']],
  ['app -m agent=ppo,d', ['agent=ppo,dqn']],
  ['app agent=[dqn,p', ['agent=[dqn,ppo']],
  ['app fast=', ['fast=false', 'fast=true']],
  ['app size=sm', ['size=small', 'size=smaller']],
  ['app +path=./data/', ['+path=./data/first.jsonl', '+path=./data/folder']],
  ['app hydra/job_l', ['hydra/job_logging=']],
  ['app hydra.run.', ['hydra.run.dir=']],
  ['node app.js seed', ['seed=']],
  ['app agent=nonsense se', []],
])('%j', async (line, candidates) => {
  expect(await complete(line)).toEqual(candidates);
});

test('only the text before the cursor counts', async () => {
  expect(await complete('app see --cfg job', 'app see'.length)).toEqual(['seed=']);
});

test('with an open group keys are still offered', async () => {
  expect(await complete('app -cn other agent=dqn agent.b')).toEqual(['agent.buffer=']);
  expect(await complete('app -cn other other')).toEqual(['other=']);
});

test('unknown shells and actions are refused', async () => {
  const root = temporaryTree(configs);
  expect((await runProgram(root, ['-sc', 'query=tcsh'])).stderr).toContain(`no completion for shell 'tcsh'`);
  expect((await runProgram(root, ['-sc', 'start=bash'])).stderr).toContain('install=SHELL');
  expect((await runProgram(root, ['-sc', 'query=bash'])).stderr).toContain('COMP_LINE is not set');
});

const bash = spawnSync('bash', ['-c', 'echo ${BASH_VERSINFO[0]}'], { encoding: 'utf8' });
const built = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const hasBash = Number(bash.stdout) >= 4 && existsSync(built);

when(hasBash, 'no bash of version 4, or the package is not built').test(
  'the installed function in bash (needs bash 4 and a built package)',
  () => {
    const root = temporaryTree(configs);
    const program = `#!${process.execPath}
import(${JSON.stringify(built)}).then(async ({ runCommandLine }) => {
  process.exitCode = await runCommandLine({ argv: process.argv.slice(2), programName: 'app', configDir: 'conf', configName: 'config', job() {} });
});
`;
    writeFileSync(path.join(root, 'app'), program);
    chmodSync(path.join(root, 'app'), 0o755);
    // Bash sets these variables when TAB is pressed, after it has split the line at spaces and at '='.
    const script = `
    PATH="$PWD:$PATH"
    eval "$(app -sc install=bash)"
    complete -p app
    press_tab() {
      COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}; shift
      COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=()
      _app_complete 2>/dev/null
      echo "\${COMPREPLY[*]}"
    }
    press_tab 'app se' app se
    press_tab 'app agent=' app agent =
    press_tab 'app agent=d' app agent = d
    press_tab 'app agent=dqn agent.b' app agent = dqn agent.b
    press_tab 'app +path=./data/f' app +path = ./data/f
    press_tab 'app nothing' app nothing; echo "\${#COMPREPLY[@]}"
    eval "$(app -sc uninstall=bash)"
    complete -p app 2>&1
  `;
    const { stdout } = spawnSync('bash', ['--norc', '-c', script], { cwd: root, encoding: 'utf8' });
    const [installed, ...answers] = stdout.trimEnd().split('\n');
    expect(installed).toBe('complete -o nospace -F _app_complete app');
    expect(answers.slice(0, 7)).toEqual([
      'seed=',
      'dqn ppo',
      'dqn',
      'agent.buffer=',
      './data/first.jsonl ./data/folder/',
      '',
      '0',
    ]);
    expect(answers[7]).toContain('no completion specification');
  },
);
