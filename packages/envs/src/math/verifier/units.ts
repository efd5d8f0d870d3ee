// Parses units of measure. Each unit has a dimension and an exact scale, so that 2 h equals 120 min. A unit whose scale is
// inexact or not linear, such as degrees Celsius, has its own dimension and is not converted.
import { Fraction } from '../fraction.js';
import type { Token } from './lexer.js';

export interface Unit {
  /** The exponent of each base unit, such as `{ m: 1, s: -1 }` for metres per second. */
  dimension: Readonly<Record<string, number>>;
  scale: Fraction;
}

const base = (name: string, above: bigint | number = 1, below: bigint | number = 1): Unit => ({
  dimension: { [name]: 1 },
  scale: Fraction.of(above, below),
});

const product = (...factors: [Unit, number][]): Unit =>
  factors.reduce<Unit>((whole, [unit, power]) => times(whole, raised(unit, power)), {
    dimension: {},
    scale: Fraction.of(1),
  });

function times(a: Unit, b: Unit): Unit {
  const dimension: Record<string, number> = { ...a.dimension };
  for (const [name, power] of Object.entries(b.dimension)) {
    dimension[name] = (dimension[name] ?? 0) + power;
    if (dimension[name] === 0) delete dimension[name];
  }
  return { dimension, scale: a.scale.times(b.scale) };
}

const raised = ({ dimension, scale }: Unit, power: number): Unit => ({
  dimension: Object.fromEntries(Object.entries(dimension).map(([name, own]) => [name, own * power])),
  scale: scale.power(BigInt(power)),
});

const scaled = (unit: Unit, above: bigint | number, below: bigint | number = 1): Unit => ({
  dimension: unit.dimension,
  scale: unit.scale.times(Fraction.of(above, below)),
});

const [metre, gram, second, ampere, kelvin, mole] = ['m', 'g', 's', 'A', 'K', 'mol'].map((name) => base(name));
const litre = scaled(product([metre, 3]), 1, 1000);
const newton = scaled(product([gram, 1], [metre, 1], [second, -2]), 1000);
const joule = product([newton, 1], [metre, 1]);
const watt = product([joule, 1], [second, -1]);
const coulomb = product([ampere, 1], [second, 1]);
const volt = product([watt, 1], [ampere, -1]);
const [minute, hour, day] = [scaled(second, 60), scaled(second, 3600), scaled(second, 86_400)];
const [inch, foot, mile] = [scaled(metre, 254, 10_000), scaled(metre, 3048, 10_000), scaled(metre, 1_609_344, 1000)];
const poundMass = scaled(gram, 45_359_237, 100_000);
const [dollar, euro, sterling] = ['dollar', 'euro', 'pound sterling'].map((name) => base(name));
const degree = base('degree');
const month = base('month');
const gallon = base('gallon');

/** The percentage as a unit with the scale 1/100, so that 50 % equals 1/2. */
export const PERCENT: Unit = { dimension: { percent: 1 }, scale: Fraction.of(1, 100) };

/** The units by name. Names are singular, and in lower case unless the case matters. */
const table: Readonly<Record<string, readonly Unit[]>> = Object.fromEntries(
  (
    [
      ['m meter metre', metre],
      ['nm nanometer nanometre', scaled(metre, 1, 1_000_000_000)],
      ['mm millimeter millimetre', scaled(metre, 1, 1000)],
      ['cm centimeter centimetre', scaled(metre, 1, 100)],
      ['dm decimeter decimetre', scaled(metre, 1, 10)],
      ['km kilometer kilometre', scaled(metre, 1000)],
      ['in inch', inch],
      ['ft foot', foot],
      ['yd yard', scaled(foot, 3)],
      ['mi mile', mile],
      ['g gram gramme', gram],
      ['mg milligram', scaled(gram, 1, 1000)],
      ['kg kilogram kilo', scaled(gram, 1000)],
      ['tonne', scaled(gram, 1_000_000)],
      ['lb lbs', poundMass],
      ['oz ounce', scaled(poundMass, 1, 16)],
      ['ton', base('ton')],
      ['s sec second', second],
      ['ms millisecond', scaled(second, 1, 1000)],
      ['min minute', minute],
      ['h hr hour', hour],
      ['day', day],
      ['week wk', scaled(day, 7)],
      ['month', month],
      ['year yr', scaled(month, 12)],
      ['decade', scaled(month, 120)],
      ['century', scaled(month, 1200)],
      ['l L liter litre', litre],
      ['ml mL milliliter millilitre', scaled(litre, 1, 1000)],
      ['cl cL centiliter centilitre', scaled(litre, 1, 100)],
      ['dl dL deciliter decilitre', scaled(litre, 1, 10)],
      ['gallon gal', gallon],
      ['quart qt', base('gallon', 1, 4)],
      ['pint pt', base('gallon', 1, 8)],
      ['cup', base('gallon', 1, 16)],
      ['acre', scaled(product([foot, 2]), 43_560)],
      ['hectare ha', scaled(product([metre, 2]), 10_000)],
      ['mph', product([mile, 1], [hour, -1])],
      ['mpg', product([mile, 1], [gallon, -1])],
      ['kph kmh', scaled(product([metre, 1], [hour, -1]), 1000)],
      ['N newton', newton],
      ['kN kilonewton', scaled(newton, 1000)],
      ['J joule', joule],
      ['kJ kilojoule', scaled(joule, 1000)],
      ['W watt', watt],
      ['kW kilowatt', scaled(watt, 1000)],
      ['MW megawatt', scaled(watt, 1_000_000)],
      ['kWh', scaled(product([watt, 1], [hour, 1]), 1000)],
      ['Pa pascal', product([newton, 1], [metre, -2])],
      ['kPa kilopascal', scaled(product([newton, 1], [metre, -2]), 1000)],
      ['Hz hertz', product([second, -1])],
      ['kHz kilohertz', scaled(product([second, -1]), 1000)],
      ['MHz megahertz', scaled(product([second, -1]), 1_000_000)],
      ['A ampere amp', ampere],
      ['mA milliampere', scaled(ampere, 1, 1000)],
      ['V volt', volt],
      ['ohm Omega', product([volt, 1], [ampere, -1])],
      ['coulomb', coulomb],
      ['K kelvin', kelvin],
      ['celsius C', base('celsius')],
      ['fahrenheit F', base('fahrenheit')],
      ['mol mole', mole],
      ['° degree deg', degree],
      ['rad radian', base('radian')],
      ['revolution', scaled(degree, 360)],
      ['$ \\$ dollar usd buck', dollar],
      ['¢ cent', scaled(dollar, 1, 100)],
      ['€ euro eur', euro],
      ['£ gbp', sterling],
      ['pence penny', base('penny')],
      ['yuan rmb cny', base('yuan')],
      ['¥ yen jpy', base('yen')],
      ['rupee inr rs', base('rupee')],
      ['ruble rouble', base('ruble')],
      ['peso', base('peso')],
      ['bit', base('bit')],
      ['byte', base('byte')],
      ['% percent pct percentage', PERCENT],
      ['‰', scaled(PERCENT, 1, 10)],
    ] satisfies [string, Unit][]
  )
    .flatMap(([names, unit]) => names.split(' ').map((name): [string, Unit[]] => [name, [unit]]))
    // The word `pound` may name a mass or a currency.
    .concat([['pound', [poundMass, sterling]]]),
);

const plurals: Readonly<Record<string, string>> = {
  feet: 'foot',
  inches: 'inch',
  centuries: 'century',
  pennies: 'penny',
  ounces: 'ounce',
};

/** Returns every unit that a word may name; empty if the word does not name a unit. The case of a single letter matters. */
export function unitsNamed(word: string): readonly Unit[] {
  const lower = word.toLowerCase();
  for (const name of [word, lower, plurals[lower] ?? '', lower.length > 3 ? lower.replace(/s$/, '') : ''])
    if (Object.hasOwn(table, name) && (name.length > 1 || name === word)) return table[name];
  return [];
}

const MAX_FACTORS = 6;

/** Parses a unit such as `cm^2`, `m/s` or `kg m^2 s^{-2}`; returns each meaning that uses all tokens, empty if there is none. */
export function parseUnit(written: readonly Token[]): Unit[] {
  const tokens = withoutFraction(written);
  let readings: Unit[] = [{ dimension: {}, scale: Fraction.of(1) }];
  let position = 0;
  for (let factor = 0; position < tokens.length; factor++) {
    const divided = factor > 0 ? isDivision(tokens[position]) : false;
    if (factor > 0 && (divided || tokens[position].text === '*')) position++;
    const read = factor < MAX_FACTORS ? unitFactor(tokens, position) : null;
    if (read === null) return [];
    readings = readings.flatMap((whole) =>
      read.units.map((unit) => times(whole, raised(unit, divided ? -read.power : read.power))),
    );
    position = read.end;
  }
  return position === 0 ? [] : readings;
}

/** Rewrites a unit that is written as a fraction, \frac{km}{h}, as km/h. */
function withoutFraction(tokens: readonly Token[]): readonly Token[] {
  if (tokens[0]?.kind !== 'command' || tokens[0].text !== 'frac') return tokens;
  const middle = tokens.findIndex((token, i) => token.text === '}' && tokens[i + 1]?.text === '{');
  const isWhole = tokens[1]?.text === '{' && tokens.at(-1)?.text === '}' && middle > 0;
  const sign: Token = { kind: 'symbol', text: '/', isSpaced: false, isUpright: false };
  return isWhole ? [...tokens.slice(2, middle), sign, ...tokens.slice(middle + 2, -1)] : tokens;
}

const isDivision = ({ text }: Token) => text === '/' || text === 'per';

interface UnitFactor {
  units: readonly Unit[];
  power: number;
  end: number;
}

const powersBefore: Readonly<Record<string, number>> = { square: 2, sq: 2, cubic: 3, cu: 3 };
const powersAfter: Readonly<Record<string, number>> = { squared: 2, cubed: 3 };

function unitFactor(tokens: readonly Token[], start: number): UnitFactor | null {
  let position = start;
  const before = powersBefore[tokens[position]?.text.toLowerCase()];
  if (before !== undefined) position++;
  if (tokens[position]?.text === '.') position++; // the point of an abbreviation, as in sq. ft
  const [name, after] = [tokens[position], tokens[position + 1]];
  if (name === undefined) return null;
  // A temperature may be written as °C or as degrees Celsius: the unit's name then follows the first token.
  const isTemperature = /^(?:°|degrees?)$/i.test(name.text) && /^(?:celsius|fahrenheit|C|F)$/.test(lowerWord(after));
  const units = unitsNamed(isTemperature ? after.text : name.text);
  if (units.length === 0 || (name.kind === 'command' && name.text !== 'Omega')) return null;
  position += isTemperature ? 2 : 1;
  const power = powerAfter(tokens, position);
  if (before !== undefined && power.value !== 1) return null;
  return { units, power: before ?? power.value, end: power.end };
}

const lowerWord = (token: Token | undefined) =>
  token === undefined || token.text.length === 1 ? (token?.text ?? '') : token.text.toLowerCase();

/** Parses the power after a unit: `^2`, `^{-1}` or `squared`. */
function powerAfter(tokens: readonly Token[], position: number): { value: number; end: number } {
  const texts = tokens.slice(position, position + 5).map(({ text }) => text);
  const word = powersAfter[texts[0]];
  if (word !== undefined) return { value: word, end: position + 1 };
  // An exponent may directly follow the unit's name, as in cm2.
  const isJoined = tokens[position]?.kind === 'number' && !tokens[position].isSpaced && /^[23]$/.test(texts[0]);
  if (isJoined && position > 0) return { value: Number(texts[0]), end: position + 1 };
  const written = /^\^(\{?)(-?)([1-4])(\}?)/.exec(texts.join(''));
  if (!written || (written[1] === '{') !== (written[4] === '}')) return { value: 1, end: position };
  return { value: Number(written[2] + written[3]), end: position + written[0].length };
}

/** Returns the factor that converts `given` to `reference`; null if their dimensions differ. */
export function conversion(given: Unit, reference: Unit): Fraction | null {
  const names = new Set([...Object.keys(given.dimension), ...Object.keys(reference.dimension)]);
  for (const name of names) if (given.dimension[name] !== reference.dimension[name]) return null;
  return given.scale.over(reference.scale);
}

export const isPercentage = ({ dimension }: Unit): boolean => dimension.percent === 1;
