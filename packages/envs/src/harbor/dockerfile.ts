// Reads the Dockerfile of a Harbor task and converts it to files and commands for a shell without containers. It accepts only a
// common base image, files, variables, the working folder and simple commands.
import { posix } from 'node:path';
import { HarborFault, type Files } from './fault.js';

/** The file system and the environment variables of a task before the agent's first command. */
export interface Preparation {
  files: Files;
  workdir: string;
  environment: Readonly<Record<string, string>>;
  /** Commands that create the remaining files. Each runs in its own working folder. */
  setup: readonly { command: string; workdir: string }[];
}

const bases = ['alpine', 'bash', 'busybox', 'debian', 'ubuntu'];
const simple =
  ': [ cat cd chmod cp cut date echo export false find grep gzip head ln ls mkdir mv printf pwd rm rmdir sed seq set sort tail tar tee test touch tr true uniq wc'.split(
    ' ',
  );
/** Packages of Debian, Ubuntu and Alpine that need not be installed: just-bash or the base images have their commands. */
const provided =
  'bash ca-certificates coreutils diffutils file findutils gawk grep gzip jq mawk ripgrep sed sqlite3 tar tree'.split(
    ' ',
  );
/** Dockerfile instructions that have no effect on a shell. */
const ignored = ['LABEL', 'MAINTAINER', 'EXPOSE', 'CMD', 'STOPSIGNAL'];

/** @param context the files of the folder `environment/` by paths from `/` @throws {HarborFault} if a container is needed */
export function readDockerfile(context: Files, image: string | null): Preparation {
  const compose = Object.keys(context).find((path) => /^\/(?:docker-compose|compose)\.ya?ml$/.test(path));
  if (compose !== undefined) throw new HarborFault(`environment${compose} needs containers`);
  const text = context['/Dockerfile'];
  if (image !== null) assertPlain(image, '[environment] docker_image');
  if (text === undefined) return { files: moved(context, '/app'), workdir: '/app', environment: {}, setup: [] };
  const made = { files: {} as Record<string, Uint8Array>, workdir: '/', environment: {} as Record<string, string> };
  const setup: { command: string; workdir: string }[] = [];
  for (const [name, rest] of instructionsOf(new TextDecoder().decode(text))) {
    if (name === 'RUN') setup.push({ command: simpleCommand(rest), workdir: made.workdir });
    else if (name === 'FROM') assertPlain(rest, 'FROM');
    else if (name === 'WORKDIR') made.workdir = posix.resolve(made.workdir, rest);
    else if (name === 'ENV') Object.assign(made.environment, variablesOf(rest));
    else if (name === 'COPY' || name === 'ADD') Object.assign(made.files, copied(rest, context, made.workdir));
    else if (!ignored.includes(name) && !(name === 'USER' && rest === 'root'))
      throw new HarborFault(`environment/Dockerfile: ${name} ${rest} needs an image`);
  }
  return { ...made, setup };
}

const moved = (context: Files, folder: string): Files =>
  Object.fromEntries(Object.entries(context).map(([path, content]) => [`${folder}${path}`, content]));

/** Returns the instructions of a Dockerfile with their arguments, without comments and with continued lines joined. */
const instructionsOf = (text: string): [string, string][] =>
  text
    .replace(/^\s*#.*\n?/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^\s*(\w+)\s*(.*?)\s*$/.exec(line) ?? ['', '', line])
    .map(([, name, rest]) => [name!.toUpperCase(), rest!]);

function assertPlain(image: string, place: string): void {
  const name = image.replace(/^--platform=\S+\s+/, '').replace(/^(?:docker\.io\/)?(?:library\/)?/, '');
  if (bases.includes(name.replace(/[:@].*$/, ''))) return;
  throw new HarborFault(
    `${place} ${image} is an image; played are those on ${bases.join(', ')}, which bring a shell alone`,
  );
}

/** Removes installations of provided packages from a RUN command; returns `:` (no operation) if nothing remains. */
function simpleCommand(command: string): string {
  const kept = command.split('&&').filter((part) => !installsProvided(part));
  const words = kept.flatMap((part) => part.split(/\|\||[;|]/)).map((part) => part.trim().split(/\s+/)[0]!);
  const other = words.find((word) => !simple.includes(word));
  if (other === undefined && !command.includes('<<')) return kept.length === 0 ? ':' : kept.join('&&');
  throw new HarborFault(`environment/Dockerfile: RUN ${command} needs an image (${other ?? '<<'})`);
}

/** Returns whether a command is `apt-get update`, or installs only provided packages: `apk add --no-cache jq`. */
function installsProvided(part: string): boolean {
  const [program, verb, ...words] = part.trim().split(/\s+/);
  if (!['apt-get', 'apt', 'apk'].includes(program) || words.some((word) => /[;|&<>$]/.test(word))) return false;
  const packages = words.filter((word) => !word.startsWith('-'));
  if (verb === 'update' || verb === 'clean') return packages.length === 0;
  return (verb === 'install' || verb === 'add') && packages.every((name) => provided.includes(name));
}

/** Parses the variables of an ENV instruction: `A=1 B="two words"`, or the older form `A value`. */
function variablesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w+)=(?:"([^"]*)"|'([^']*)'|(\S*))/g)];
  if (!/^\w+=/.test(text)) return { [text.split(/\s+/)[0]]: text.replace(/^\S+\s*/, '') };
  return Object.fromEntries(pairs.map(([, name, double, single, bare]) => [name, double ?? single ?? bare ?? '']));
}

/** Returns the files that COPY writes: a folder's content, a file in a folder, or a file under another name. */
function copied(rest: string, context: Files, workdir: string): Record<string, Uint8Array> {
  const words = rest.startsWith('[') ? (JSON.parse(rest) as string[]) : rest.split(/\s+/);
  const paths = words.filter((word) => !/^--(?:chown|chmod|link)\b/.test(word));
  const [sources, target] = [paths.slice(0, -1), paths.at(-1)!];
  const refused = paths.find((word) => word.startsWith('--') || /:\/\/|[*?[]/.test(word));
  if (refused !== undefined) throw new HarborFault(`environment/Dockerfile: COPY ${rest}: ${refused} is not read`);
  const place = posix.resolve(workdir, target);
  const isInto = target.endsWith('/') || target === '.' || sources.length > 1;
  return Object.fromEntries(sources.flatMap((source) => filesOf(source, context, place, isInto)));
}

function filesOf(source: string, context: Files, place: string, isInto: boolean): [string, Uint8Array][] {
  const path = posix.resolve('/', source);
  if (context[path] !== undefined) return [[isInto ? posix.join(place, posix.basename(path)) : place, context[path]]];
  const prefix = path === '/' ? '/' : `${path}/`;
  const within = Object.keys(context).filter((name) => name.startsWith(prefix) && name !== '/Dockerfile');
  if (within.length === 0) throw new HarborFault(`environment/Dockerfile: there is no ${source} to copy`);
  return within.map((name) => [posix.join(place, name.slice(prefix.length)), context[name]]);
}
