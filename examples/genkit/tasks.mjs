// Makes requests for loans, with a fixed seed.
export const OBJECTS = [
  'blue vase',
  'bronze horse',
  'ivory comb',
  'silver bowl',
  'oak chest',
  'glass lamp',
  'clay tablet',
  'iron helmet',
  'silk banner',
  'stone lion',
  'gold ring',
  'paper fan',
];
export const CITIES = ['Lyon', 'Turin', 'Ghent', 'Porto', 'Basel', 'Cork', 'Graz', 'Bergen'];
export const MONTHS = ['January', 'March', 'April', 'May', 'July', 'August', 'October', 'November'];
const MESSAGES = [
  (object, city, month) => `${city} would like the ${object} in ${month}.`,
  (object, city, month) => `May the ${object} come to ${city} for ${month}?`,
  (object, city, month) => `In ${month} our museum in ${city} shows old things. Could you lend us the ${object}?`,
];

let seed = 7;
const draw = (count) => (seed = (seed * 48271) % 2147483647) % count;
const oneOf = (list) => list[draw(list.length)];
const seen = new Set();

/** Makes requests, all with different texts. */
function requests(count, prefix) {
  const tasks = [];
  while (tasks.length < count) {
    const [object, city, month] = [oneOf(OBJECTS), oneOf(CITIES), oneOf(MONTHS)];
    const message = oneOf(MESSAGES)(object, city, month);
    if (seen.has(message)) continue;
    seen.add(message);
    const kind = draw(5);
    const shelf = `${oneOf(['K', 'L', 'M', 'N'])}${10 + draw(20)}`;
    const state = kind === 0 ? 'fragile' : 'sound';
    const place = kind === 1 || kind === 2 ? 'show' : 'store';
    tasks.push({ id: `${prefix}${tasks.length}`, message, object, city, month, shelf, state, place });
  }
  return tasks;
}

/** The tasks to record; the others are for training. */
export const recorded = requests(300, 'r');
export const tasks = requests(400, 't');
