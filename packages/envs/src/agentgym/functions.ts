// Defines the functions that an agent calls in the formats function_calling and code_as_action, and the game's action that each
// call stands for. Names, orders of arguments and actions are those of AgentGym's adapters at commit 3ef9235.

export interface ActionFunction {
  description: string;
  /** The names of the parameters in order. Only the first `required` ones must be given. */
  parameters: readonly string[];
  required: number;
  /** Whether a call with too few arguments is converted nevertheless, as AgentGym does for actions of a verb and objects. */
  writesShort: boolean;
  /** Returns the game's action. @param values one for each given parameter, in order */
  write: (...values: string[]) => string;
}

export type FunctionTable = Readonly<Record<string, ActionFunction>>;

/** Returns a function whose action is `verb`, `verb X`, or, for two arguments, `verb X between Y`. */
const phrase = (
  description: string,
  verb: string,
  parameters: readonly string[] = [],
  { between = '', required = parameters.length }: { between?: string; required?: number } = {},
): ActionFunction => ({
  description,
  parameters,
  required,
  writesShort: true,
  write: (...values) => [verb, ...values.flatMap((value, i) => (i === 0 ? [value] : [between, value]))].join(' '),
});

export const webshopFunctions: FunctionTable = {
  search: {
    description: 'Looks for products by keywords, on a page with a search bar.',
    parameters: ['keywords'],
    required: 1,
    writesShort: false,
    write: (keywords) => `search[${keywords}]`,
  },
  click: {
    description: 'Presses one of the buttons or links of the page.',
    parameters: ['item'],
    required: 1,
    writesShort: false,
    write: (item) => `click[${item}]`,
  },
};

export const alfworldFunctions: FunctionTable = {
  goto: phrase('Walks to a place.', 'go to', ['recep']),
  take: phrase('Takes an object from a place.', 'take', ['obj', 'recep'], { between: 'from' }),
  put: phrase('Puts the carried object into or onto a place.', 'put', ['obj', 'recep'], { between: 'in/on' }),
  open: phrase('Opens a place.', 'open', ['recep']),
  close: phrase('Closes a place.', 'close', ['recep']),
  toggle: phrase('Switches an object on or off.', 'toggle', ['obj']),
  heat: phrase('Heats an object with an appliance.', 'heat', ['obj', 'recep'], { between: 'with' }),
  cool: phrase('Cools an object with an appliance.', 'cool', ['obj', 'recep'], { between: 'with' }),
  clean: phrase('Cleans an object with an appliance.', 'clean', ['obj', 'recep'], { between: 'with' }),
  examine: phrase('Looks closely at a place, or at it with an object.', 'examine', ['recep', 'obj'], {
    between: 'with',
    required: 1,
  }),
  inventory: phrase('Lists what is carried.', 'inventory'),
  look: phrase('Looks around.', 'look'),
  use: phrase('Uses an object.', 'use', ['obj']),
};

export const sciworldFunctions: FunctionTable = {
  open: phrase('Opens a door or container.', 'open', ['obj']),
  close: phrase('Closes a door or container.', 'close', ['obj']),
  activate: phrase('Switches a device on.', 'activate', ['obj']),
  deactivate: phrase('Switches a device off.', 'deactivate', ['obj']),
  connect: phrase('Connects two electrical parts.', 'connect', ['obj1', 'obj2'], { between: 'to' }),
  disconnect: phrase('Disconnects an electrical part.', 'disconnect', ['obj']),
  use: phrase('Uses a tool, on an object where one is named.', 'use', ['tool', 'obj'], { between: 'on', required: 1 }),
  lookaround: phrase('Describes the room.', 'look around'),
  lookat: phrase('Describes an object.', 'look at', ['obj']),
  read: phrase('Reads a note or book.', 'read', ['obj']),
  move: phrase('Moves an object into a container.', 'move', ['obj', 'container'], { between: 'to' }),
  pickup: phrase('Puts an object into the inventory.', 'pick up', ['obj']),
  drop: phrase('Drops an object of the inventory.', 'drop', ['obj']),
  pour: phrase('Pours a liquid into a container.', 'pour', ['liq', 'container'], { between: 'into' }),
  dunk: phrase('Dunks a container into a liquid.', 'dunk', ['container', 'liq'], { between: 'in' }),
  mix: phrase('Mixes what is in a container.', 'mix', ['container']),
  goto: phrase('Walks to another place.', 'go to', ['loc']),
  eat: phrase('Eats food.', 'eat', ['food']),
  flush: phrase('Flushes a toilet.', 'flush', ['obj']),
  focus: phrase('Marks an object as the one the task asks for.', 'focus on', ['obj']),
  wait: {
    description: 'Lets steps pass.',
    parameters: ['duration'],
    required: 1,
    writesShort: true,
    write: (duration = '') => `wait${duration}`,
  },
  choose: {
    description: 'Answers a question by its number.',
    parameters: ['option'],
    required: 1,
    writesShort: true,
    write: (option = 'choose') => option,
  },
  examine: phrase('Looks closely at an object.', 'examine', ['obj']),
  task: phrase('Repeats the task.', 'task'),
  inventory: phrase('Lists what is carried.', 'inventory'),
};
