/**
 * Forbids the `query` of a Koa context or request, under whatever name it is held: `context.query`, `ctx.request['query']`,
 * `const { query } = context`. Koa's getter is quadratic in the number of pairs: 64 KB of `a&a&a` take it 16 s. Use `queryOf` instead.
 *
 * A property is Koa's if its declaration is in Koa's types, so an unrelated `query` is allowed.
 */

const isKoasDeclaration = ({ fileName }) => /[\\/]node_modules[\\/](@types[\\/]koa|koa|@koa)[\\/]/.test(fileName)

const nameOf = ({ type, computed, name, value }) =>
  type === 'Identifier' && !computed ? name : type === 'Literal' ? value : undefined

export const noKoaQuery = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      quadratic: 'Koa parses a query in quadratic time. Use queryOf (adapters/http/middleware/query-string.ts).',
    },
  },
  create: (context) => {
    const services = context.sourceCode.parserServices
    const isKoas = (object) => {
      const type = services.program.getTypeChecker().getApparentType(services.getTypeAtLocation(object))
      const declarations = type.getProperty('query')?.declarations ?? []
      return declarations.some((declaration) => isKoasDeclaration(declaration.getSourceFile()))
    }
    return {
      MemberExpression: (node) => {
        const name = node.computed
          ? nameOf({ ...node.property, computed: node.property.type === 'Identifier' })
          : nameOf(node.property)
        if (name === 'query' && isKoas(node.object)) context.report({ node, messageId: 'quadratic' })
      },
      ObjectPattern: (node) => {
        for (const property of node.properties)
          if (property.type === 'Property' && nameOf(property.key) === 'query' && isKoas(node))
            context.report({ node: property, messageId: 'quadratic' })
      },
    }
  },
}
