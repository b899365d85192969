/** A Standard Schema, as far as adapters use one. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    validate(value: unknown): Validation | PromiseLike<Validation>
  }
}
type Validation =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/**
 * What a schema makes of a value; the value itself where it is no Standard Schema.
 *
 * @throws TypeError saying what is wrong with a value that does not match.
 */
export async function validated(schema: unknown, value: unknown): Promise<unknown> {
  const standard = standardOf(schema)
  if (standard === undefined) return value
  const result = await standard.validate(value)
  if (result.issues === undefined) return result.value
  throw new TypeError(`Validation failed: ${result.issues.map(({ message }) => message).join(', ')}`)
}

/**
 * The same schema for whoever wants to know the shape, which lets every value pass: what it judged is reduced by now.
 * A schema that is no Standard Schema is given back as it is.
 */
export function passingSchema(schema: StandardSchema): StandardSchema {
  const standard = standardOf(schema)
  if (standard === undefined) return schema
  const passing = Object.create(standard, { validate: { value: (value: unknown): Validation => ({ value }) } })
  return Object.create(schema, { '~standard': { value: passing, enumerable: true } }) as StandardSchema
}

function standardOf(schema: unknown): StandardSchema['~standard'] | undefined {
  const isHolder = schema !== null && (typeof schema === 'object' || typeof schema === 'function')
  const standard = isHolder ? (schema as Partial<StandardSchema>)['~standard'] : undefined
  return typeof standard?.validate === 'function' ? standard : undefined
}
