type Validation = { value: unknown; issues?: undefined }

/**
 * A JSON Schema as the input schema of a tool, for `registerTool` of both MCP server packages.
 *
 * `@modelcontextprotocol/server` 2.x takes any Standard Schema that knows its JSON Schema. `@modelcontextprotocol/sdk` 1.x takes
 * zod schemas only; of one made with zod 4 it asks for what stands under `_zod`: how to parse, and the JSON Schema
 * where the schema has its own. So neither zod nor the right version of it has to be found.
 *
 * Every value passes: the tool judges its arguments itself, and answers bad ones with a sentence.
 */
export function mcpInputSchema(jsonSchema: object): object {
  return {
    '~standard': {
      version: 1,
      vendor: 'tool-output-limits',
      validate: (value: unknown): Validation => ({ value }),
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
    _zod: {
      def: { type: 'object', shape: {} },
      bag: {},
      traits: new Set<string>(),
      run: <Payload>(payload: Payload): Payload => payload,
      toJSONSchema: (): object => structuredClone(jsonSchema), // zod works on what it gets
    },
  }
}
