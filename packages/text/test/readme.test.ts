// Tests that the README's program and command print what the README says.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newFolder, programArguments, readmePrograms } from '@bowyer/testing';
import { wordLevelTokenizer } from '../src/index.js';

const folder = resolve(import.meta.dirname, '..');
const [program] = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));

let dir: string;
beforeEach(async () => (dir = newFolder()));

const command = (...argv: string[]) =>
  promisify(execFile)(process.execPath, [...programArguments(join(folder, 'src/command.ts')), ...argv], {
    cwd: folder,
  });

test('the program of the README', async () => {
  expect(await program.run()).toBe('<|user|> Is it a dog?<eos><|assistant|>\n No.<eos>\n');
});

test('bowyer-text render: a prompt, with the variables of the file', async () => {
  const [template, messages] = [join(dir, 'template.jinja'), join(dir, 'messages.json')];
  await writeFile(
    template,
    '{{ bos_token }}{% for m in messages %}{{ m.content | upper }};{% endfor %}{% if add_generation_prompt %}>{% endif %}',
  );
  await writeFile(messages, JSON.stringify({ bos_token: '<s>', messages: [{ role: 'user', content: 'hi' }] }));
  expect((await command('render', template, messages)).stdout).toBe('<s>HI;>');
  await writeFile(messages, JSON.stringify([{ role: 'assistant', content: 'hi' }]));
  expect((await command('render', template, messages)).stdout).toBe('HI;');
});

test('bowyer-text encode: ids and bytes', async () => {
  await wordLevelTokenizer(['a dog']).save(dir);
  expect((await command('encode', dir, 'a dog')).stdout).toBe('3\t"a"\n4\t" dog"\n');
});

test('bowyer-text says how it is used, and what fails', async () => {
  expect((await command('--help')).stdout).toContain('bowyer-text render TEMPLATE.jinja MESSAGES.json');
  await expect(command('render')).rejects.toMatchObject({ code: 2 });
  await expect(command('encode', join(dir, 'none'), 'a')).rejects.toMatchObject({
    code: 1,
    stderr: `bowyer-text: Tokenizer: ${join(dir, 'none')} is not a directory\n  give the directory of a Hugging Face model\n`,
  });
});
