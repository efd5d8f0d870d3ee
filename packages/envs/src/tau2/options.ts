import { choice, integer, text } from '@bowyer/core';
import { callFormats, mcpSchema } from '../mcp/options.js';
import { options, type OptionsOf } from '../option.js';
import { oracleProperties } from '../oracle.js';

export const tau2Schema = options({
  data: text(
    null,
    "Folder of the domain, such as tau2-bench's data/tau2/domains/retail; null: a small shop that ships with Bowyer.",
  ),
  oracle: choice(
    ['rules', 'openai'],
    'rules',
    "The simulated user: 'rules' (says the texts of the scenario in order, without a model) or 'openai' (a chat server).",
  ),
  oracleModel: text(null, "oracle openai: the model's name, which must be given."),
  oracleUrl: oracleProperties.oracleUrl,
  showTools: mcpSchema.properties.showTools,
  callFormat: choice(
    callFormats,
    'json',
    'json: a reply is one JSON object, {"name", "arguments"} or {"answer"}; hermes: calls stand between <tool_call> and </tool_call>, and a reply without one is said to the user.',
  ),
  maxTurns: integer(100, 'Replies of the agent after which the episode is truncated, with a reward of 0.'),
});

export type Tau2Options = OptionsOf<typeof tau2Schema>;
