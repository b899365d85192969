import { lstat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  LocalFileStore,
  type OverflowStore,
  type PruneOptions,
  type StoreOptions,
  type ToolCall,
} from 'tool-output-limits'
import { hasTilde } from '../../common/tilde.js'
import { aString, expectOptions, type Rule, type Rules } from '../shared/expect.js'
import { unknownHandle } from '../shared/store-errors.js'

/** Names of arguments that say what is sought, and not where. */
const SOUGHT = /pattern|query|regex|search|text|content/i

export interface WorkspaceStoreOptions {
  /** The agent's workspace: the directory that its file tools call their root. It must exist. */
  workspace: string
  /** Name of the directory in it. One segment. Default: `.tool-output`. */
  directory?: string | undefined
  /** The agent's tool that reads a file: its name, and that of the argument for the path. */
  fileTool: { name: string; pathArgument?: string | undefined }
  /** Names of further tools whose reads of stored results are left as they are, such as `grep`. */
  readers?: readonly string[] | undefined
  /** See `LocalFileStore`. */
  cleanupAfterMs?: number | undefined
  /** See `LocalFileStore`. */
  maxBytes?: number | undefined
  /** See `LocalFileStore`. */
  maxFileBytes?: number | undefined
}

const toolNames: Rule = {
  expected: 'an array of names of tools',
  allows: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
}
/** Those of the files are judged by their store. */
const RULES: Rules<WorkspaceStoreOptions> = {
  workspace: true,
  directory: aString,
  fileTool: true,
  readers: toolNames,
  cleanupAfterMs: true,
  maxBytes: true,
  maxFileBytes: true,
}

/**
 * Results as files inside the workspace of an agent that has a file tool already. Handles are paths relative to the
 * workspace; the envelope names the file tool, and its reads of stored results are never reduced again. A `.gitignore`
 * keeps them out of the repository.
 *
 * The files are those of `LocalFileStore`: private to the user, whole or not there, no link followed. The agent can
 * change or delete them: they are its own.
 *
 * @throws TypeError when an option is missing or of no use.
 */
export class WorkspaceStore implements OverflowStore {
  readonly #files: LocalFileStore
  readonly #workspace: string
  readonly #directory: string
  readonly #fileTool: string
  readonly #pathArgument: string
  readonly #readers: ReadonlySet<string>

  constructor(options: WorkspaceStoreOptions) {
    const {
      workspace,
      directory = '.tool-output',
      fileTool,
      readers = [],
      ...limits
    } = expectOptions(options, RULES, 'WorkspaceStore')
    if (typeof workspace !== 'string' || workspace === '')
      throw new TypeError('WorkspaceStore: workspace must be a path')
    if (hasTilde(workspace)) throw new TypeError('WorkspaceStore: workspace must spell ~ out, as os.homedir() does')
    if (!/^(?!\.{1,2}$)[\w.-]+$/.test(directory)) throw new TypeError('WorkspaceStore: directory must be a single name')
    if (typeof fileTool?.name !== 'string' || fileTool.name === '') {
      throw new TypeError('WorkspaceStore: fileTool.name must be the name of a tool')
    }
    expectOptions(fileTool, { name: true, pathArgument: aString }, 'WorkspaceStore.fileTool')
    this.#workspace = path.resolve(workspace)
    this.#directory = directory
    this.#fileTool = fileTool.name
    this.#pathArgument = fileTool.pathArgument ?? 'path'
    this.#readers = new Set([fileTool.name, ...readers])
    this.#files = new LocalFileStore({ root: path.join(this.#workspace, directory), ...limits })
  }

  async write(key: string, data: Uint8Array, options?: StoreOptions): Promise<string> {
    // The root is made where it is missing; a workspace that is missing is a mistake.
    await lstat(`${this.#workspace}${path.sep}.`)
    const handle = await this.#files.write(key, data, options)
    await this.#ignore()
    return `${this.#directory}/${handle}`
  }

  async read(handle: string, options?: StoreOptions): Promise<Uint8Array> {
    return this.#files.read(this.#inner(handle), options)
  }

  async readRange(handle: string, start: number, end: number, options?: StoreOptions): Promise<Uint8Array> {
    return this.#files.readRange(this.#inner(handle), start, end, options)
  }

  async size(handle: string, options?: StoreOptions): Promise<number> {
    return this.#files.size(this.#inner(handle), options)
  }

  async delete(handle: string, options?: StoreOptions): Promise<void> {
    await this.#files.delete(this.#inner(handle), options)
  }

  /** Deletes on demand, see `LocalFileStore`. */
  prune(options?: PruneOptions) {
    return this.#files.prune(options)
  }

  /** How the model reads a handle. */
  readInstruction(handle: string): string {
    return `${this.#fileTool}(${JSON.stringify({ [this.#pathArgument]: handle })})`
  }

  /** Whether a call reads a stored result with one of the tools named. */
  exempts(call: ToolCall): boolean {
    const name = call.toolName
    const isReader = [...this.#readers].some(
      (reader) => name === reader || ['__', '.', '/', ':'].some((separator) => name.endsWith(separator + reader)),
    )
    return isReader && this.#isInside(parsed(call.input))
  }

  #isInside(input: unknown): boolean {
    const named = typeof input === 'object' && input !== null ? Object.entries(input) : [['', input] as const]
    const values = named.filter(([name]) => !SOUGHT.test(name)).flatMap(([, value]) => value)
    const root = path.join(this.#workspace, this.#directory) + path.sep
    // Some file tools call the workspace `/`.
    const places = (value: string) => [path.resolve(this.#workspace, value), path.join(this.#workspace, value)]
    const isInside = (place: string) => `${place}${path.sep}`.startsWith(root)
    return values.some((value) => typeof value === 'string' && places(value).some(isInside))
  }

  #inner(handle: string): string {
    const start = `${this.#directory}/`
    if (!handle.startsWith(start)) throw unknownHandle()
    return handle.slice(start.length)
  }

  async #ignore(): Promise<void> {
    const file = path.join(this.#files.root, '.gitignore')
    try {
      // Made only where there is none, and never through a link.
      await writeFile(file, '*\n', { flag: 'wx', mode: 0o600 })
    } catch {
      // It is there, or cannot be made: the result is stored all the same.
    }
  }
}

/** The input of a call, also where a host hands it over as JSON. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string' || !input.startsWith('{')) return input
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
