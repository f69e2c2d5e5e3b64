/** Lint rules of the inside: time, randomness, settings and the network come through ports. */

const INSIDE = {
  ImportExpression: 'import at the top.',
  "Identifier[name='globalThis']": 'ask through a port.',
  "MemberExpression[object.name='process']": 'take the setting or the time as an argument.',
  "VariableDeclarator[init.name='process']": 'take the setting as an argument.',
  "CallExpression[callee.name='fetch']": 'ask through a port.',
  "CallExpression[callee.object.name='Date'][callee.property.name='now']": 'take the time as an argument, or a Clock.',
  "CallExpression[callee.name='Date']": 'take the time as an argument, or a Clock.',
  "NewExpression[callee.name='Date'][arguments.length=0]": 'take the time as an argument, or a Clock.',
  "CallExpression[callee.object.name='Math'][callee.property.name='random']": 'take the random number as an argument.',
}

/** In the domain nothing is measured, awaited or made up either. */
const DOMAIN = {
  ...INSIDE,
  "MemberExpression[object.name='performance']": 'take the time as an argument.',
  'Identifier[name=/^(random(UUID|Bytes|Int)|getRandomValues)$/]': 'take the random value as an argument.',
  'Identifier[name=/^set(Timeout|Interval|Immediate)$/]': 'leave the waiting to a workflow.',
}

const forbid = (selectors) => ({
  create: (context) =>
    Object.fromEntries(
      Object.entries(selectors).map(([selector, instead]) => [
        selector,
        (node) => context.report({ node, message: `The inside is pure: ${instead}` }),
      ]),
    ),
})

export default { meta: { name: 'pure' }, rules: { inside: forbid(INSIDE), domain: forbid(DOMAIN) } }
