// Names that the parser of expressions knows.

/** Functions whose argument follows. */
export const functionNames: ReadonlySet<string> = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan arccot arcsec arccsc ln log exp abs sqrt radical cbrt floor ceil'.split(
    ' ',
  ),
);

/** Functions whose power −1 is their inverse function. */
export const invertible: ReadonlySet<string> = new Set(['sin', 'cos', 'tan', 'cot', 'sec', 'csc']);

/** Letters that are functions where parentheses follow. */
export const applied: ReadonlySet<string> = new Set(['f', 'g', 'F', 'G']);

/** Signs above a letter that make another variable of it. */
export const accents: ReadonlySet<string> = new Set([
  'overline',
  'hat',
  'tilde',
  'dot',
  'ddot',
  'widehat',
  'underline',
]);
/** Signs that show only the kind of a variable, such as a vector. */
export const invisible: ReadonlySet<string> = new Set(['vec', 'boldsymbol', 'mathnormal', 'bm']);

export const greek: ReadonlySet<string> = new Set(
  (
    'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega ' +
    'Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega ell hbar'
  ).split(' '),
);
