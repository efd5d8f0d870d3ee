// Writes the text that the command `bowyer` prints without a config: the names of the tasks, and three commands to begin with.
import { maximum } from '@bowyer/core';
import { repositoryOf } from './config/missing-config.js';
import { findTask, taskNames } from './tasks/registry.js';

/** Writes names in lines of at most 100 columns. */
const inLines = (names: readonly string[]): string => names.join(', ').replace(/(.{1,97})(, |$)/g, '  $1\n');

/** @param configs the folder of Bowyer's config files */
export function overview(configs: string): string {
  const repository = repositoryOf(configs);
  const width = maximum(taskNames().map((name) => name.length));
  const tasks = taskNames().map((name) => `  ${name.padEnd(width)}  ${findTask(name)!.description}\n`);
  return `Bowyer trains and evaluates language-model agents on multi-turn text tasks, from one YAML config.

Write a small project with an agent of your own, its evaluation and its training:
  npx bowyer init agent
Train an agent on Twenty Questions, in about three minutes and without a download:
  npx bowyer --config-name archer_20q
Play the game yourself:
  npx bowyer --config-name play env=twenty_questions
Read the options of the training that people change (--help NODE for all of a node), and the configs that there are:
  npx bowyer --config-name archer_20q --help

Tasks (task=NAME, most of them also --config-name NAME):
${tasks.join('')}
Algorithms (algorithm=NAME):
${inLines(repository.options('algorithm'))}
Environments (env=NAME):
${inLines(repository.options('env'))}`;
}
