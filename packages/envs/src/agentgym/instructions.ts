// Writes the instructions that the agent reads before the first observation. The texts are this project's own; AgentGym's texts
// are in its dataset.
import { familyOf, type ActionFormat, type AgentGymFamily } from './families.js';
import type { FunctionTable } from './functions.js';

/** By environment: the task in a few sentences, and the actions of the format `react`. */
const tasks: Record<AgentGymFamily, { task: string; actions: string }> = {
  webshop: {
    task: 'You shop on a web site. Find the product that the instruction describes, choose its options and buy it.',
    actions:
      'search[keywords] on a page with a search bar; click[button] for a button of the page, at last click[Buy Now]',
  },
  alfworld: {
    task: 'You are in a household. Do the task that you are given by walking to places and handling objects.',
    actions:
      'go to R; open R; close R; take O from R; put O in/on R; use O; heat O with R; cool O with R; clean O with R; examine X; inventory; look',
  },
  textcraft: {
    task: 'You craft an item of Minecraft. You are given crafting commands and the goal; ingredients that no command makes can be got.',
    actions: 'get 2 birch log; craft 4 birch planks using 1 birch log; inventory. Always give quantities.',
  },
  sciworld: {
    task: 'You do an experiment of elementary school science in a house with workshops. Do the task that you are given.',
    actions:
      'open O; close O; activate O; deactivate O; connect O to O; disconnect O; use O on O; look around; look at O; read O; move O to O; pick up O; drop O; pour O into O; dunk O in O; mix O; go to L; eat O; flush O; focus on O; wait1; task; inventory. A question is answered by its number alone.',
  },
  babyai: {
    task: 'You are in a room of a grid world. Reach the goal that you are given.',
    actions:
      'turn left; turn right; move forward; go to <colour> <thing> <number>; pickup <colour> <thing> <number>; drop; toggle; toggle and go through <colour> <state> door <number>; go through <colour> open door <number>; check available actions',
  },
  webarena: {
    task: 'You use web sites in a browser. Reach the objective; each observation shows the address and the accessibility tree of the page.',
    actions:
      'click [id]; type [id] [text] [0 or 1 for Enter]; hover [id]; press [keys]; scroll [up or down]; new_tab; tab_focus [index]; close_tab; goto [address]; go_back; go_forward; stop [answer]',
  },
  maze: {
    task: 'You walk in a maze to a goal. You are told both positions as row, column, and the walls around you. Down adds one to the row, right adds one to the column.', // prose-lint: off
    actions: 'move up; move down; move left; move right',
  },
  wordle: {
    task: 'Guess a hidden word of five letters within six attempts. Each guess is answered by a letter per place: g the letter is right, y it stands elsewhere in the word, b it is not in the word.',
    actions: 'the five letters with blanks between them, such as s h i r e', // prose-lint: off
  },
  searchqa: {
    task: 'Answer the question. You may search for passages as often as you need.',
    actions: '<search>keywords</search>; <answer>the answer</answer>',
  },
  sqlgym: {
    task: 'Write one SQLite query that answers the question on the database that is described.',
    actions: 'the query in a block that begins with ```sql and ends with ```',
  },
  weather: toolTask('a weather service'),
  movie: toolTask('a film database'),
  todo: toolTask('a list of projects and tasks'),
  academia: toolTask('a graph of papers and authors'),
  sheet: toolTask('a spreadsheet'),
};

function toolTask(what: string): { task: string; actions: string } {
  return {
    task: `You have the tools of ${what}. Reach the goal that you are given, then finish with the answer.`,
    actions:
      'Action: <tool> with Action Input: <its arguments as JSON>; at last Action: finish with Action Input: {"answer": …}',
  };
}

/** Environments whose servers parse the agent's whole reply, so that the instructions do not describe the format of replies. */
const OWN_FORMAT: readonly AgentGymFamily[] = [
  'webarena',
  'searchqa',
  'sqlgym',
  'weather',
  'movie',
  'todo',
  'academia',
  'sheet',
];

export function instructionsOf(
  family: AgentGymFamily,
  format: ActionFormat,
  vocabulary: readonly string[] | null,
): string {
  const { task, actions } = tasks[family];
  const words = vocabulary === null ? [] : [`Vocabulary: ${vocabulary.join(', ')}.`];
  return [task, ...words, ...formatLines(family, format, actions)].join('\n');
}

function formatLines(family: AgentGymFamily, format: ActionFormat, actions: string): string[] {
  const { functions } = familyOf(family);
  if (format === 'function_calling') {
    return [
      'Every reply calls one of these functions:',
      ...Object.entries(functions!).map(([name, made]) => JSON.stringify(functionSchema(name, made), null, 2)),
      'Reply with an object {"thought": "why", "function_name": "name", "arguments": {"parameter": "value"}}.',
    ];
  }
  if (format === 'code_as_action') {
    return [
      'Every reply calls one of these Python functions, once and with literals:',
      '```python',
      ...signatures(functions!),
      '```',
      'Reply with a python block that holds your thought as a comment and the call.',
    ];
  }
  if (format === 'plain') return [`Reply with one action and nothing else: ${actions}`];
  const backticks = family === 'webarena' ? ['Put the action between triple backticks.'] : [];
  if (OWN_FORMAT.includes(family)) return [`Your actions: ${actions}`, ...backticks];
  return [`Your actions: ${actions}`, 'Write every reply as:', 'Thought:', 'why', '', 'Action:', 'one action'];
}

function functionSchema(name: string, { description, parameters, required }: FunctionTable[string]): object {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  const schema = { type: 'object', properties, required: parameters.slice(0, required) };
  return { type: 'function', function: { name, description, parameters: schema } };
}

const signatures = (functions: FunctionTable): string[] =>
  Object.entries(functions).map(([name, { description, parameters, required }]) => {
    const written = parameters.map((parameter, i) => (i < required ? parameter : `${parameter}=None`));
    return `def ${name}(${written.join(', ')}): """${description}"""`;
  });
