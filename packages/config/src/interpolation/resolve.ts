// Resolves interpolations lazily: each `${…}` is followed from its own position, if necessary through further interpolations, until a
// value is reached.
import { ConfigError, placeText, type ConfigErrorKind } from '../config-error.js';
import { child, framePath, isIndex, leadingDots, rootOf, splitPath, type Frame } from '../key-path.js';
import { nearest } from '../nearest.js';
import {
  ListNode,
  MapNode,
  ScalarNode,
  isContainer,
  isInterpolation,
  isMissing,
  type ConfigNode,
  type ContainerNode,
  type Scalar,
} from '../node.js';
import { nodeStr } from '../python-text.js';
import {
  InterpolationSyntaxError,
  parseElement,
  parseText,
  type ElementSyntax,
  type Interpolation,
  type NodeReference,
  type ResolverCall,
  type TextSyntax,
} from './parse.js';
import { ResolverError, findResolver, resolverNames, type ResolverContext } from './resolvers.js';

interface ResolutionOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time at which the program was started, for `${now:…}`. */
  readonly now: Date;
  /** Returns the hydra settings, for `${hydra:…}`. */
  readonly hydra?: () => Frame | undefined;
  /** Returns the path of an option given by its flat name at the root; undefined for other keys. */
  readonly pathOf?: (key: string) => string | undefined;
  readonly warn?: (message: string) => void;
  /** Results of cached resolvers, which the jobs of a sweep share. */
  readonly cache?: Map<string, ConfigNode>;
}

interface DeepOptions {
  readonly keepMissing?: boolean;
  readonly onError?: (error: ConfigError, frame: Frame) => ConfigNode;
}

/** `missingKey` does not exist in the container `at`. */
type Failure = { readonly missingKey: string; readonly at?: Frame<ContainerNode> };

type TextFrame = Frame<ScalarNode & { value: string }>;

export class Resolution implements ResolverContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
  /** The interpolations that are being followed, in order to detect cycles. */
  private readonly active = new Map<ConfigNode, Frame>();
  private readonly cache: Map<string, ConfigNode>;

  constructor(private readonly options: ResolutionOptions) {
    this.env = options.env;
    this.now = options.now;
    this.cache = options.cache ?? new Map<string, ConfigNode>();
  }

  get hydra(): Frame | undefined {
    return this.options.hydra?.();
  }

  warn(message: string): void {
    this.options.warn?.(message);
  }

  cached(key: string, compute: () => ConfigNode): ConfigNode {
    const known = this.cache.get(key);
    if (known) return known;
    const value = compute();
    this.cache.set(key, value);
    return value;
  }

  readonly pathOf = framePath;

  /**
   * Resolves all interpolations below a frame.
   *
   * @param options.keepMissing whether an interpolation that refers to ??? becomes ???, instead of an error
   * @param options.onError returns a substitute for a value that cannot be computed
   */
  deep(frame: Frame, options: DeepOptions = {}, open: readonly ConfigNode[] = []): ConfigNode {
    let target = frame;
    if (isInterpolation(frame.node)) {
      try {
        target = this.follow(frame);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (options.keepMissing && error.kind === 'interpolation-missing')
          return new ScalarNode('???', frame.node.origin);
        if (options.onError) return options.onError(error, frame);
        throw error;
      }
      if (open.includes(target.node))
        this.fail(frame, 'interpolation', `Interpolation cycle: '${framePath(frame)}' contains itself`);
    }
    if (target.node.kind === 'scalar') {
      return target === frame
        ? frame.node
        : Object.assign(new ScalarNode(target.node.value, frame.node.origin), { previous: frame.node.previous });
    }
    const nested = [...open, target.node];
    const container = target as Frame<ContainerNode>;
    if (container.node.kind === 'list') {
      const list = new ListNode(frame.node.origin);
      container.node.items.forEach((node, index) =>
        list.items.push(this.deep({ node, parent: container, key: String(index) }, options, nested)),
      );
      return list;
    }
    const map = new MapNode(frame.node.origin);
    for (const [id, { key, node, keyOrigin }] of container.node.entries) {
      map.entries.set(id, {
        key,
        node: this.deep({ node, parent: container, key: String(key) }, options, nested),
        keyOrigin,
      });
    }
    return map;
  }

  /** Returns the value to which an interpolation leads. Interpolations inside a container are not followed. */
  follow(frame: Frame): Frame {
    if (!isInterpolation(frame.node)) return frame;
    if (this.active.has(frame.node)) this.failCycle(frame);
    this.active.set(frame.node, frame);
    try {
      return this.evaluate(this.parse(frame as TextFrame), frame);
    } finally {
      this.active.delete(frame.node);
    }
  }

  /** Finds the value at a path below a frame; undefined if there is none. */
  select(from: Frame, path: string): Frame | undefined {
    const found = this.walk(from, splitPath(path), false);
    return 'missingKey' in found ? undefined : found;
  }

  /** Finds the value at a path in a resolver's argument: from the root, or relative if it has leading dots. */
  selectFrom(frame: Frame, path: string, requireGiven = false): Frame | undefined {
    const levels = leadingDots(path);
    const start = levels === 0 ? rootOf(frame) : ancestor(frame, levels);
    if (!start) return undefined;
    const found = this.walk(start, splitPath(path.slice(levels)), requireGiven);
    return 'missingKey' in found ? undefined : found;
  }

  /** Parses a text by the grammar of resolver arguments, as `oc.decode` does. */
  decode(text: string, frame: Frame): ConfigNode | Frame {
    try {
      return this.element(parseElement(text), frame);
    } catch (error) {
      if (!(error instanceof InterpolationSyntaxError)) throw error;
      throw new ResolverError(`'${text}' cannot be read: ${error.message}`);
    }
  }

  private parse(frame: TextFrame): TextSyntax {
    try {
      return parseText(frame.node.value);
    } catch (error) {
      if (!(error instanceof InterpolationSyntaxError)) throw error;
      throw interpolationSyntaxError(error, framePath(frame), frame.node);
    }
  }

  private evaluate(parts: TextSyntax, frame: Frame): Frame {
    const [only] = parts;
    if (parts.length === 1 && typeof only === 'object') return this.interpolation(only, frame);
    const text = parts
      .map((part) => (typeof part === 'string' ? part : nodeStr(this.interpolation(part, frame).node)))
      .join('');
    return { ...frame, node: new ScalarNode(text, frame.node.origin) };
  }

  private interpolation(syntax: Interpolation, frame: Frame): Frame {
    return syntax.kind === 'node' ? this.reference(syntax, frame) : this.call(syntax, frame);
  }

  private reference(syntax: NodeReference, frame: Frame): Frame {
    const { levels, text } = syntax;
    const keys = syntax.keys.flatMap((key) => (typeof key === 'string' ? [key] : splitPath(this.keyOf(key, frame))));
    const path = keys.join('.');
    const start = levels === 0 ? rootOf(frame) : ancestor(frame, levels);
    if (!start)
      this.fail(frame, 'interpolation-key', `Interpolation key '${path}' not found: '${text}' climbs above the root`);
    const found = this.walk(start, levels === 0 ? this.pathKeys(keys) : keys, true, frame, text);
    if ('missingKey' in found) {
      const written = syntax.keys.some((key) => typeof key !== 'string')
        ? path
        : text.slice(2, -1).trim().slice(levels);
      this.failUnknown(frame, text, written, found);
    }
    for (let at = frame.parent; at; at = at.parent) {
      if (at.node === found.node)
        this.fail(
          frame,
          'interpolation',
          `Interpolation '${text}' leads to '${framePath(at) || 'the root'}', which contains it`,
        );
    }
    return found;
  }

  /** Returns the keys of an interpolation's path. If they are a flat name, it returns those of the option's path. */
  private pathKeys(keys: readonly string[]): readonly string[] {
    const path = this.options.pathOf?.(keys.join('.'));
    return path === undefined ? keys : splitPath(path);
  }

  private keyOf(syntax: Interpolation, frame: Frame): string {
    const { node } = this.interpolation(syntax, frame);
    if (node.kind === 'scalar' && typeof node.value === 'string') return node.value;
    this.fail(frame, 'interpolation', `'${syntax.text}' names a key, so it must give text, not '${nodeStr(node)}'`);
  }

  // Follows a path from a container, through interpolations on the way and at its end.
  private walk(
    start: Frame,
    keys: readonly string[],
    requireGiven: boolean,
    reader?: Frame,
    text?: string,
  ): Frame | Failure {
    let at = start;
    for (const [index, key] of keys.entries()) {
      if (!isContainer(at.node)) {
        if (at.node.kind === 'scalar' && reader)
          this.fail(
            reader,
            'interpolation',
            `'${text}' cannot be followed: '${keys.slice(0, index).join('.')}' is a single value and has no key '${key}'`,
          );
        return { missingKey: key };
      }
      const container = at as Frame<ContainerNode>;
      if (container.node.kind === 'list' && !isIndex(key) && reader) {
        this.fail(
          reader,
          'interpolation',
          `'${text}' cannot be followed: '${keys.slice(0, index).join('.')}' is a list, and '${key}' is not an index`,
        );
      }
      const next = child(container, key);
      if (!next) return { missingKey: key, at: container };
      if (requireGiven && isMissing(next.node)) this.failMissing(reader ?? next, text ?? key, framePath(next));
      at = this.follow(next);
    }
    return at;
  }

  private call(syntax: ResolverCall, frame: Frame): Frame {
    const name = syntax.name.map((part) => (typeof part === 'string' ? part : this.keyOf(part, frame))).join('.');
    const resolver = findResolver(name);
    if (!resolver) {
      const near = nearest(name, resolverNames());
      this.fail(
        frame,
        'unknown-resolver',
        `No resolver is named '${name}' (in '${syntax.text}')`,
        near ? `did you mean '${near}'?` : `known resolvers: ${resolverNames().join(', ')}`,
      );
    }
    try {
      const args = syntax.args.map((arg) => this.value(arg, frame));
      const result = resolver(args, { frame, origin: frame.node.origin, resolution: this });
      return 'kind' in result ? { ...frame, node: result } : result;
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      this.fail(frame, 'interpolation', `'${syntax.text}' gives no value: ${message}`, undefined, error);
    }
  }

  private value(syntax: ElementSyntax, frame: Frame): ConfigNode {
    const value = this.element(syntax, frame);
    return 'kind' in value ? value : value.node;
  }

  private element(syntax: ElementSyntax, frame: Frame): ConfigNode | Frame {
    const { origin } = frame.node;
    const scalar = (value: Scalar) => new ScalarNode(value, origin);
    switch (syntax.kind) {
      case 'scalar':
        return scalar(syntax.value);
      case 'joined':
        return this.evaluate(syntax.parts, frame);
      case 'quoted':
        return scalar(
          syntax.parts
            .map((part) => (typeof part === 'string' ? part : nodeStr(this.interpolation(part, frame).node)))
            .join(''),
        );
      case 'list': {
        const list = new ListNode(origin);
        for (const item of syntax.items) list.items.push(this.value(item, frame));
        return list;
      }
      case 'dict': {
        const map = new MapNode(origin);
        for (const { key, value } of syntax.pairs) {
          if (key === null || (typeof key === 'object' && 'base64' in key))
            this.fail(frame, 'interpolation', 'a dict key cannot be null');
          map.set(key, this.value(value, frame));
        }
        return map;
      }
    }
  }

  private failMissing(reader: Frame, text: string, target: string): never {
    const { node } = reader;
    const key = framePath(reader);
    throw new ConfigError(
      'interpolation-missing',
      `'${key}' needs '${target}', which must be given (it is ???)`,
      [`in ${placeText(node.origin)}: ${text}`, `give it on the command line: ${target}=…`],
      { keyPath: key, file: node.origin.source, line: node.origin.line, column: node.origin.column },
    );
  }

  private failUnknown(frame: Frame, text: string, path: string, { missingKey, at }: Failure): never {
    const known = at?.node.kind === 'map' ? [...at.node.entries.values()].map(({ key }) => String(key)) : [];
    const near = nearest(missingKey, known);
    const prefix = at ? framePath(at) : '';
    const hint = near
      ? `did you mean '${prefix ? `${prefix}.` : ''}${near}'?`
      : known.length > 0 && known.length <= 20
        ? `known keys there: ${known.join(', ')}`
        : undefined;
    this.fail(
      frame,
      'interpolation-key',
      `Interpolation key '${path}' not found, needed by '${framePath(frame)}'`,
      hint ?? `in '${text}'`,
    );
  }

  private failCycle(frame: Frame): never {
    const frames = [...this.active.values()];
    const ring = frames.slice(frames.findIndex(({ node }) => node === frame.node)).map((at) => framePath(at));
    this.fail(
      frame,
      'interpolation',
      `Interpolation cycle: ${[...ring, ring[0]].join(' -> ')}`,
      'give one of these keys a value of its own',
    );
  }

  private fail(frame: Frame, kind: ConfigErrorKind, summary: string, hint?: string, cause?: unknown): never {
    const { origin } = frame.node;
    const key = framePath(frame);
    const details = [`at '${key}' in ${placeText(origin)}`];
    if (hint) details.push(hint);
    throw new ConfigError(kind, summary, details, {
      keyPath: key,
      file: origin.source,
      line: origin.line,
      column: origin.column,
      cause,
    });
  }
}

/** One level is the container of the value, each further level the container around it. */
function ancestor(frame: Frame, levels: number): Frame | undefined {
  let at: Frame | undefined = frame;
  for (let level = 0; level < levels; level++) at = at?.parent;
  return at;
}

export function interpolationSyntaxError(
  error: InterpolationSyntaxError,
  keyPath: string,
  { origin }: ConfigNode,
): ConfigError {
  const shown = error.text.length > 200 ? `${error.text.slice(0, 200)}…` : error.text;
  const details = [`at '${keyPath}' in ${placeText(origin)}`, `write \\\${ for a literal \${`];
  return new ConfigError(
    'interpolation-syntax',
    `Cannot read the interpolation in '${shown}': ${error.message}`,
    details,
    {
      keyPath,
      file: origin.source,
      line: origin.line,
      column: origin.column,
    },
  );
}
