// biome-ignore-all lint/suspicious/noExplicitAny: schemas of three majors are one
/** Marks of a schema object of the AI SDK; ai 5 asks for the second as well. */
const SCHEMA: unique symbol = Symbol.for('vercel.ai.schema')
const VALIDATOR: unique symbol = Symbol.for('vercel.ai.validator')

type Validation = { success: true; value: unknown } | { success: false; error: Error }

/** A schema as ai 5, 6 and 7 accept it, made without any of them. */
export interface AiSchema {
  [SCHEMA]: true
  [VALIDATOR]: true
  _type: any
  jsonSchema: any
  validate(value: unknown): PromiseLike<any>
}

/** A schema of plain JSON Schema that accepts whatever the model sends; the tool itself judges its arguments. */
export function plainSchema(jsonSchema: unknown): AiSchema {
  return aiSchema(
    () => jsonSchema,
    async (value) => ({ success: true, value }),
  )
}

/**
 * An output schema widened by what stands in for a reduced output.
 *
 * `isReduced` recognises reduced objects. A reduced string is a string like any other, so where the schema is one of
 * strings, every string passes: the notice in place of a long text need not have the text's own form.
 */
export function widenedSchema(
  schema: unknown,
  isReduced: (value: unknown) => boolean,
  reducedJsonSchema: object,
): AiSchema {
  return aiSchema(
    () => {
      const own = jsonSchemaOf(schema)
      if (own === undefined) return {}
      return isThenable(own)
        ? own.then((known) => ({ anyOf: [known, reducedJsonSchema] }))
        : { anyOf: [own, reducedJsonSchema] }
    },
    async (value) => {
      if (isReduced(value)) return { success: true, value }
      const validation = await validate(schema, value)
      if (!validation.success && typeof value === 'string' && acceptsStrings(await jsonSchemaOf(schema)))
        return { success: true, value }
      return validation
    },
  )
}

function aiSchema(jsonSchema: () => unknown, validate: (value: unknown) => Promise<Validation>): AiSchema {
  return {
    [SCHEMA]: true,
    [VALIDATOR]: true,
    _type: undefined,
    get jsonSchema() {
      return jsonSchema()
    },
    validate,
  }
}

interface AnySchema {
  [SCHEMA]?: true
  jsonSchema?: unknown
  validate?(value: unknown): Validation | PromiseLike<Validation>
  '~standard'?: {
    validate(value: unknown): StandardResult | PromiseLike<StandardResult>
    jsonSchema?: { output(options: { target: string }): unknown }
  }
  safeParseAsync?(value: unknown): PromiseLike<{ success: boolean; data?: unknown; error?: Error }>
}
type StandardResult = { value: unknown; issues?: undefined } | { issues: readonly { message: string }[] }

/** The kinds of schema that a tool of the AI SDK may have: its own, one made on demand, Standard Schema, older zod. */
function resolved(schema: unknown): AnySchema {
  const known: unknown = typeof schema === 'function' && !('~standard' in schema) ? (schema as () => unknown)() : schema
  return (known ?? {}) as AnySchema
}

async function validate(schema: unknown, value: unknown): Promise<Validation> {
  const known = resolved(schema)
  if (known[SCHEMA]) return known.validate ? await known.validate(value) : { success: true, value }
  if (known['~standard']) {
    const result = await known['~standard'].validate(value)
    if (!result.issues) return { success: true, value: result.value }
    return {
      success: false,
      error: new Error(result.issues.map((issue) => issue.message).join('; '), { cause: result.issues }),
    }
  }
  if (known.safeParseAsync) {
    const result = await known.safeParseAsync(value)
    return result.success
      ? { success: true, value: result.data }
      : { success: false, error: result.error ?? new Error('invalid output') }
  }
  return { success: true, value }
}

function jsonSchemaOf(schema: unknown): unknown {
  const known = resolved(schema)
  if (known[SCHEMA]) return known.jsonSchema
  try {
    return known['~standard']?.jsonSchema?.output({ target: 'draft-07' })
  } catch {
    return undefined // a schema that JSON Schema cannot express still validates
  }
}

function acceptsStrings(jsonSchema: unknown): boolean {
  const { type, anyOf } = (jsonSchema ?? {}) as { type?: unknown; anyOf?: unknown }
  if (type === 'string' || (Array.isArray(type) && type.includes('string'))) return true
  return Array.isArray(anyOf) && anyOf.some((part: { type?: unknown } | null) => part?.type === 'string')
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value !== null && typeof value === 'object' && 'then' in value && typeof value.then === 'function'
}
