#!/usr/bin/env node
// Runs the command bowyer-text, which writes a dialogue by a model's chat template, or prints the tokens of a text.
import { readFile } from 'node:fs/promises';
import type { ChatMessage } from './chat/chat-message.js';
import { Template } from './jinja/template.js';
import { TokenSpelling } from './tokenizers/token-spelling.js';
import { loadTokenizer } from './tokenizers/tokenizer.js';

const USAGE = `usage:
  bowyer-text render TEMPLATE.jinja MESSAGES.json   the prompt that a chat template makes of messages
  bowyer-text encode MODEL TEXT                     the tokens of a text: an id and its bytes on each line

MESSAGES.json has a list of messages, or an object with messages, tools, documents and other variables of the template.
The prompt asks for a reply, unless the last message is the assistant's. MODEL is a folder with tokenizer.json.
`;

interface Dialogue {
  messages: readonly ChatMessage[];
  [variable: string]: unknown;
}

async function render(template: string, file: string): Promise<string> {
  const given = JSON.parse(await readFile(file, 'utf8')) as Dialogue | readonly ChatMessage[];
  const dialogue: Dialogue = 'messages' in given ? given : { messages: given };
  const variables = {
    tools: null,
    documents: null,
    add_generation_prompt: dialogue.messages.at(-1)?.role !== 'assistant',
    ...dialogue,
  };
  return new Template(await readFile(template, 'utf8')).render(variables).text;
}

async function encode(model: string, text: string): Promise<string> {
  const tokenizer = await loadTokenizer(model);
  const spelling = new TokenSpelling(tokenizer);
  const lines = tokenizer
    .encodeWithSpecials(text)
    .map((id) => `${id}\t${JSON.stringify(Buffer.from(spelling.next(id)).toString())}\n`);
  return lines.join('');
}

const commands: Readonly<Record<string, (...given: [string, string]) => Promise<string>>> = { render, encode };

const [name, ...given] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (name === '--help') process.stdout.write(USAGE);
else if (command === undefined || given.length !== 2) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else
  try {
    process.stdout.write(await command(...(given as [string, string])));
  } catch (error) {
    process.stderr.write(`bowyer-text: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
