// Lays out the tokens of a batch of texts in memory. The same graph of an encoder serves padded matrices and packed texts:
//
//     matrix   [texts, tokens, width]: every text has the length of the longest, and padding goes through every layer
//     packed   [all tokens, width]: token-wise layers see real tokens alone; only for attention, where the tokens of a text
//              meet, each class of texts of similar length becomes a padded matrix
import { multiplyDims, withGradient, type Dim, type GraphBuilder, type Value } from '@bowyer/graph';

/** The texts of similar length that attention processes as one padded matrix. */
interface TextClass {
  texts: Dim;
  tokens: Dim;
  /** float32 [texts, tokens] 1 for a token, 0 for padding */
  mask: Value;
}

/** Converts between hidden states of the whole batch and one padded matrix per class: [its texts, its tokens or 1, width]. */
export interface Rows {
  split(rows: Value): Value[];
  join(parts: readonly Value[]): Value;
}

/** The tokens of a batch, for the layers of an encoder. */
export interface TokenLayout {
  /** int32 token ids: [texts, tokens], or [all tokens] if texts are packed */
  ids: Value;
  /** int32 rows of the position table, in the shape of `ids` */
  positions: Value;
  classes: readonly TextClass[];
  /** Converts the hidden states of all tokens. */
  all: Rows;
}

/** Converts the hidden states of the first token of each text. */
export interface FirstRows extends Rows {
  /** Selects the hidden states of the first tokens from those of all tokens: [texts, width], ordered by class. */
  of(rows: Value): Value;
}

export interface PackedLayout extends TokenLayout {
  first: FirstRows;
}

/** The inputs for texts padded on the right. */
export interface MatrixInputs {
  /** int32 [batch, tokens] */
  ids: Value;
  /** int32 [batch, tokens] rows of the position table */
  positions: Value;
  /** float32 [batch, tokens] 1 for a token, 0 for padding */
  mask: Value;
}

export function matrixLayout({ ids, positions, mask }: MatrixInputs): TokenLayout {
  const [texts, tokens] = mask.shape;
  const all: Rows = { split: (x) => [x], join: (parts) => parts[0] };
  return { ids, positions, classes: [{ texts, tokens, mask }], all };
}

/** The inputs for a class of packed texts. */
interface PackedClass extends TextClass {
  /** int32 [tokens of the class] */
  ids: Value;
  positions: Value;
  /** int32 [texts, tokens] the row of each element of the padded matrix, counted within the class; any row for padding */
  places: Value;
  /** int32 [tokens of the class] the index of each row in the flattened matrix */
  back: Value;
}

/** Declares the inputs that `packTexts` fills, for `count` classes. */
export function packedLayout(g: GraphBuilder, count: number): PackedLayout {
  const classes = Array.from({ length: count }, (_, c) => classInputs(g, c));
  const each = (part: (own: PackedClass, c: number) => Value) => g.concat(classes.map(part), 0);
  const cut = (x: Value, size: (own: PackedClass) => Dim) => g.split(x, 0, classes.map(size));
  const rowsOf = (x: Value) => cut(x, ({ ids }) => ids.dim(0));
  return {
    ids: each(({ ids }) => ids),
    positions: each(({ positions }) => positions),
    classes,
    all: {
      split: (x) => rowsOf(x).map((rows, c) => spread(g, rows, classes[c])),
      join: (parts) => each((own, c) => collect(g, parts[c], own)),
    },
    first: {
      split: (x) => cut(x, ({ texts }) => texts).map((rows) => g.unsqueeze(rows, 1)),
      join: (parts) => each((_, c) => g.squeeze(parts[c], 1)),
      of: (x) => {
        const rows = rowsOf(x);
        return each(({ places }, c) => g.gather(rows[c], g.squeeze(g.slice(places, 1, 0, 1), 1)));
      },
    },
  };
}

function classInputs(g: GraphBuilder, c: number): PackedClass {
  const [texts, tokens, rows] = [`texts_${c}`, `length_${c}`, `tokens_${c}`];
  return {
    texts,
    tokens,
    ids: g.input(`ids_${c}`, 'int32', [rows]),
    positions: g.input(`positions_${c}`, 'int32', [rows]),
    places: g.input(`places_${c}`, 'int32', [texts, tokens]),
    back: g.input(`back_${c}`, 'int32', [rows]),
    mask: g.input(`mask_${c}`, 'float32', [texts, tokens]),
  };
}

/**
 * Copies the token rows of a class to its padded matrix. The matrix's padding is not used and has gradient 0, so that the
 * gradient of a token is that of its one element of the matrix, and a gather computes it instead of a scatter-add.
 */
const spread = (g: GraphBuilder, rows: Value, { places, back, texts, tokens }: PackedClass): Value =>
  withGradient(g, g.gather(rows, places), rows, (m, dy) =>
    m.gather(m.reshape(dy, [multiplyDims(texts, tokens), dy.dim(-1)]), back),
  );

/** Copies the tokens of a class's padded matrix to consecutive rows; the gradient of the matrix's padding is 0. */
const collect = (g: GraphBuilder, matrix: Value, { places, back, mask, texts, tokens }: PackedClass): Value =>
  withGradient(g, g.gather(g.reshape(matrix, [multiplyDims(texts, tokens), matrix.dim(-1)]), back), matrix, (m, dy) =>
    m.mul(m.gather(dy, places), m.unsqueeze(mask, -1)),
  );
