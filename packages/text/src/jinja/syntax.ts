export type Expression =
  | { type: 'constant'; value: null | boolean | number | string }
  | { type: 'float'; value: number }
  | { type: 'name'; name: string }
  | { type: 'list' | 'tuple'; items: Expression[] }
  | { type: 'dict'; entries: { key: Expression; value: Expression }[] }
  | { type: 'attribute'; of: Expression; name: string }
  | { type: 'item'; of: Expression; key: Expression }
  | { type: 'slice'; of: Expression; start: Expression | null; stop: Expression | null; step: Expression | null }
  | { type: 'call'; callee: Expression; args: Arguments }
  | { type: 'filter' | 'test'; of: Expression; name: string; args: Arguments; line: number }
  | { type: 'not' | 'negative' | 'positive'; of: Expression }
  | { type: 'and' | 'or'; left: Expression; right: Expression }
  | { type: 'arithmetic'; operator: string; left: Expression; right: Expression }
  | { type: 'concatenation'; parts: Expression[] }
  | { type: 'comparison'; first: Expression; rest: { operator: string; operand: Expression }[] }
  | { type: 'condition'; test: Expression; then: Expression; otherwise: Expression | null };

export interface Arguments {
  positional: Expression[];
  named: { name: string; value: Expression }[];
  /** The argument `*args` of a call. */
  spread: Expression | null;
  /** The argument `**kwargs` of a call. */
  namedSpread: Expression | null;
}

export type Target =
  | { type: 'name'; name: string }
  | { type: 'namespace'; name: string; attribute: string }
  | { type: 'tuple'; items: Target[] };

export interface Parameter {
  name: string;
  default: Expression | null;
}

export interface FilterCall {
  name: string;
  args: Arguments;
  line: number;
}

export type Statement =
  | { type: 'text'; text: string }
  | { type: 'print'; value: Expression; line: number }
  | { type: 'if'; branches: { test: Expression; body: Statement[] }[]; otherwise: Statement[]; line: number }
  | For
  | { type: 'set'; target: Target; value: Expression; line: number }
  | { type: 'set-block'; target: Target; filters: FilterCall[]; body: Statement[]; line: number }
  | { type: 'macro'; name: string; parameters: Parameter[]; body: Statement[]; line: number }
  | { type: 'call-block'; parameters: Parameter[]; call: Expression; body: Statement[]; line: number }
  | { type: 'filter-block'; filters: FilterCall[]; body: Statement[]; line: number }
  | { type: 'with'; assignments: { target: Target; value: Expression }[]; body: Statement[]; line: number }
  | { type: 'generation'; body: Statement[]; line: number }
  | { type: 'break' }
  | { type: 'continue' };

export interface For {
  type: 'for';
  target: Target;
  over: Expression;
  /** The condition after `if` in the tag `{% for %}`. Items that do not fulfil it are skipped and not counted in `loop`. */
  test: Expression | null;
  isRecursive: boolean;
  body: Statement[];
  otherwise: Statement[];
  line: number;
}
