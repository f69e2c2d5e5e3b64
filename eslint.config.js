import tseslint from 'typescript-eslint'
import { noKoaQuery } from './eslint/no-koa-query.js'

/** Time, randomness, settings and the network come through ports. Folders may import what `.dependency-cruiser.mjs` says. */
const forbidden = (selector, instead) => ({ selector, message: `The inside is pure: ${instead}` })
const IMPURE = [
  forbidden('ImportExpression', 'import at the top.'),
  forbidden("MemberExpression[object.name='process'][property.name='env']", 'take the setting as an argument.'),
  forbidden("CallExpression[callee.name='fetch']", 'ask through a port.'),
  forbidden(
    "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    'take the time as an argument, or a Clock.',
  ),
  forbidden("NewExpression[callee.name='Date'][arguments.length=0]", 'take the time as an argument, or a Clock.'),
  forbidden(
    "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    'take the random number as an argument.',
  ),
]
/** In the domain nothing is measured or made up either. */
const IMPURE_IN_DOMAIN = [
  ...IMPURE,
  forbidden("MemberExpression[object.name='performance']", 'take the time as an argument.'),
  forbidden('Identifier[name=/^random(UUID|Bytes|Int)$/]', 'take the random value as an argument.'),
]

export default tseslint.config(
  { ignores: ['node_modules/**', '.baoco/**'] },
  ...tseslint.configs.recommended,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-explicit-any': 'error',
    },
  },
  {
    files: ['adapters/**/*.ts', 'cmd/**/*.ts'],
    plugins: { baoco: { rules: { 'no-koa-query': noKoaQuery } } },
    rules: { 'baoco/no-koa-query': 'error' },
  },
  { files: ['tests/**/*.ts'], rules: { '@typescript-eslint/no-unused-expressions': 'off' } },
  { files: ['workflows/**/*.ts', 'projections/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...IMPURE] } },
  { files: ['domain/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...IMPURE_IN_DOMAIN] } },
  {
    files: ['**/*.{js,mjs}'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: { parserOptions: { projectService: false } },
  },
)
