import { spawnSync } from 'node:child_process';
import { commandText, overrideWord, shellQuoted } from './command-text.js';

const words = [
  'plain/path-1.json',
  "it's",
  '',
  'a b',
  '$HOME',
  '`id`',
  '"',
  '\\',
  '!!',
  'ü',
  '~',
  '*',
  'a\nb',
  '-n',
  "''",
];

test.each(words)('a shell reads %j back', (word) => {
  expect(spawnSync('sh', ['-c', `printf %s ${shellQuoted(word)}`]).stdout.toString()).toBe(word);
});

test('a command with paths that contain quotes', () => {
  expect(commandText('--config-name', 'generate', overrideWord('model', "/it's/here"))).toBe(
    `npx bowyer --config-name generate 'model='\\''/it\\'\\''s/here'\\'''`,
  );
  expect(overrideWord('save_path', '/runs/one')).toBe('save_path=/runs/one');
});
