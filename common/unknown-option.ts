import { describe } from './describe.js'
import { nearestName } from './nearest.js'

/** The error for an option that is not among those known: which was probably meant, or else which there are. */
export function unknownOption(owner: string, name: string, known: readonly string[]): TypeError {
  const nearest = nearestName(name, known)
  const help = nearest !== undefined ? `did you mean ${nearest}?` : `known are ${known.join(', ') || 'none'}`
  return new TypeError(`${owner}unknown option ${describe(name)}; ${help}`)
}
