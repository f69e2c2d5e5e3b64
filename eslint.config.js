import tseslint from 'typescript-eslint'
import { noKoaQuery } from './eslint/no-koa-query.js'

const LAYERS = ['cmd', 'adapters', 'projections', 'workflows', 'domain']

/** Imports point inward: a layer may import only what it names here, and itself. */
const MAY_IMPORT = {
  domain: [],
  workflows: ['domain'],
  projections: ['workflows', 'domain'],
  adapters: ['projections', 'workflows', 'domain'],
  cmd: ['adapters', 'projections', 'workflows', 'domain'],
}

/** What the inside may not touch: the network, the disk, processes, timers' clocks. */
const OUTSIDE = [
  'node:fs',
  'node:fs/promises',
  'node:net',
  'node:http',
  'node:https',
  'node:child_process',
  'node:dns',
  'pg',
  'undici',
  'koa',
]

const layerRule = (layer) => ({
  files: [`${layer}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: ['domain', 'workflows', 'projections'].includes(layer)
          ? OUTSIDE.map((name) => ({ name, message: `${layer}/ does no I/O: ask for it through a port` }))
          : [],
        patterns: [
          {
            regex: `^(\\.\\./)+(${[...LAYERS.filter((other) => other !== layer && !MAY_IMPORT[layer].includes(other)), 'tests', 'bench'].join('|')})/`,
            message: `Imports point inward: ${layer}/ may import ${MAY_IMPORT[layer].join(', ') || 'nothing outside itself'}`,
          },
        ],
      },
    ],
  },
})

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
  ...LAYERS.map(layerRule),
  {
    files: ['**/*.{js,mjs}'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: { parserOptions: { projectService: false } },
  },
)
