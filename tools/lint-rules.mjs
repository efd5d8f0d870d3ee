// Defines rules of this repository for oxlint, which has none of this kind; .oxlintrc.json decides where each applies.

/** Reports each node for which `found` returns a message. */
const rule = (kind, found) => ({
  create: (context) => ({
    [kind](node) {
      const message = found(node);
      if (message !== undefined) context.report({ node, message });
    },
  }),
});

/** Finds a spread argument of a call for which `instead` returns a remedy. */
const spreadArguments = (instead) =>
  rule('CallExpression', ({ callee, arguments: given }) => {
    const remedy = callee.type === 'MemberExpression' ? instead(callee.object.name, callee.property.name) : undefined;
    if (remedy === undefined || given.every(({ type }) => type !== 'SpreadElement')) return undefined;
    return `Above about 120,000 elements a spread argument list overflows the stack: ${remedy}.`;
  });

export default {
  meta: { name: 'bowyer' },
  rules: {
    'spread-literals': rule('SpreadElement', ({ argument: { type } }) =>
      type === 'ObjectExpression' || type === 'ArrayExpression'
        ? 'Write the members of the literal here instead of spreading it.'
        : undefined,
    ),
    'data-in-arguments': spreadArguments((object, method) => {
      if (object === 'Math') return 'use maximum or minimum of @bowyer/core, or a loop';
      return object === 'String' && /^from(CharCode|CodePoint)$/.test(method) ? 'use a Buffer or a loop' : undefined;
    }),
    'data-in-pushes': spreadArguments((_, method) =>
      /^(push|unshift)$/.test(method) ? 'push in a loop, or use concat' : undefined,
    ),
    'unchecked-casts': rule('TSAsExpression', ({ expression, typeAnnotation }) => {
      if (typeAnnotation.type === 'TSNeverKeyword')
        return "'as never' fits any type: declare the type that the reader needs.";
      return expression.type === 'TSAsExpression' && expression.typeAnnotation.type === 'TSUnknownKeyword'
        ? "'as unknown as' is not checked: narrow the value, as `value as typeof value & Declared`."
        : undefined;
    }),
  },
};
