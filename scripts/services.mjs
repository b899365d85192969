// Real servers for the tests of stores: Redis, Postgres, an S3 server; each on a free port of loopback, with its data in a
// new directory that goes with it. They are taken from the machine; where CI is set, or TOL_INSTALL_SERVICES=1, what is
// missing is installed (apt, pip). A server that is not to be had is `{ skipped: reason }`.
//   node scripts/services.mjs        starts all, tells where they are, stops them on Ctrl-C
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mayInstall = Boolean(process.env.CI) || process.env.TOL_INSTALL_SERVICES === '1'
const READY_MS = 60_000

/** Redis that writes every change to disk before it answers, so that a killed one forgets nothing. */
export async function startRedis() {
  const program = found(['redis-server'], ['redis-server'])
  if (program === undefined) return { skipped: 'redis-server is not installed' }
  return serve('redis', (port, directory) => ({
    command: program,
    args: [
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', 'always'],
    ],
    url: `redis://127.0.0.1:${port}`,
  }))
}

/** Postgres, which refuses to run as root: then it runs as the system's `postgres` or `nobody`. */
export async function startPostgres() {
  const initdb = found(['initdb'], ['postgresql'])
  const postgres = found(['postgres'], [])
  if (initdb === undefined || postgres === undefined) return { skipped: 'postgresql is not installed' }
  const user = process.getuid?.() === 0 ? (idOf('postgres') ?? idOf('nobody')) : {}
  if (user === undefined) return { skipped: 'postgresql does not run as root, and there is no other user' }
  return serve('postgres', (port, directory) => {
    const data = join(directory, 'data')
    if (!existsSync(data)) {
      if (user.uid !== undefined) chownSync(directory, user.uid, user.gid)
      const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
      const { status, stderr } = spawnSync(initdb, args, { ...user, cwd: directory, encoding: 'utf8' })
      if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
    }
    return {
      command: postgres,
      args: ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', ''],
      options: { ...user, cwd: directory },
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      // It accepts connections before it accepts work.
      isReady: (output) => /database system is ready to accept connections/.test(output),
    }
  })
}

/**
 * moto, an S3 server. It keeps everything in memory; so that a killed one forgets nothing, what is killed and started
 * again is the way to it, and it itself goes on.
 */
export async function startS3() {
  const python = found(['python3', 'python'], ['python3-pip'])
  const has = () => spawnSync(python, ['-c', 'import moto.server, flask, flask_cors'], { stdio: 'ignore' }).status === 0
  if (python === undefined) return { skipped: 'python is not installed' }
  if (!has() && mayInstall)
    spawnSync(python, ['-m', 'pip', 'install', '--quiet', 'moto[server]'], { stdio: ['ignore', 2, 2] })
  if (!has()) return { skipped: 'moto[server] is not installed' }
  const server = await serve('s3', (port) => ({
    command: python,
    args: ['-m', 'moto.server', '-H', '127.0.0.1', '-p', `${port}`],
    url: `http://127.0.0.1:${port}`,
  }))
  if (server.skipped !== undefined) return server
  const way = await openWay(Number(new URL(server.url).port))
  const stop = async () => {
    await way.kill()
    await server.stop()
  }
  return { ...way, stop }
}

/** A port that passes everything on to another. */
async function openWay(to) {
  const sockets = new Set()
  const way = createServer((from) => {
    const onward = connect(to, '127.0.0.1')
    for (const [socket, other] of [
      [from, onward],
      [onward, from],
    ]) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  let port = 0
  const start = () => new Promise((done) => way.listen(port, '127.0.0.1', done))
  await start()
  port = way.address().port
  const kill = async () => {
    const closed = new Promise((done) => way.close(done))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: `http://127.0.0.1:${port}`, start, kill }
}

/** A server of its own: `kill` ends it at once, `start` brings it back with its data, `stop` ends it and removes them. */
async function serve(name, plan) {
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), `tol-${name}-`))
  let child
  const kill = async () => {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = new Promise((done) => ending.once('exit', done))
    ending.kill('SIGKILL')
    await ended
  }
  const atExit = () => child?.kill('SIGKILL')
  const stop = async () => {
    process.off('exit', atExit)
    await kill()
    // The children of a killed server go a moment after it.
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  const start = async () => {
    const { command, args, options, isReady = () => true, url } = plan(port, directory)
    child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (output = (output + data).slice(-20_000)))
    let error
    child.once('error', (problem) => (error = problem))
    const deadline = Date.now() + READY_MS
    while (!(isReady(output) && (await answers(port)))) {
      if (error !== undefined || child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
        throw new Error(`${name} does not start: ${error?.message ?? output.slice(-2_000)}`)
      }
      await new Promise((go) => setTimeout(go, 20))
    }
    return url
  }
  process.on('exit', atExit)
  try {
    return { url: await start(), start, kill, stop }
  } catch (error) {
    await stop()
    return { skipped: error.message }
  }
}

/** Where the first of some programs is that there is; installed by its package where that is allowed. */
function found(programs, packages) {
  const look = () => {
    const folders = programFolders()
    return programs
      .flatMap((program) => folders.map((folder) => join(folder, program)))
      .find((file) => existsSync(file))
  }
  const program = look()
  if (program !== undefined || !mayInstall || packages.length === 0 || !existsSync('/usr/bin/apt-get')) return program
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  for (const args of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', ...packages],
  ]) {
    const [command, ...rest] = [...sudo, 'apt-get', ...args]
    spawnSync(command, rest, { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  }
  return look()
}

/** Debian has the programs of Postgres in a folder of each version, and not in the path. */
function programFolders() {
  const home = '/usr/lib/postgresql'
  const versions = existsSync(home) ? readdirSync(home).sort((a, b) => Number(b) - Number(a)) : []
  return [...(process.env.PATH ?? '').split(':'), ...versions.map((version) => join(home, version, 'bin'))]
}

function idOf(name) {
  const id = (flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout || Number.NaN)
  const [uid, gid] = [id('-u'), id('-g')]
  return Number.isNaN(uid) || Number.isNaN(gid) ? undefined : { uid, gid }
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}

function answers(port) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer) => {
      socket.destroy()
      done(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

if (process.argv[1] === import.meta.filename) {
  const services = { redis: await startRedis(), postgres: await startPostgres(), s3: await startS3() }
  for (const [name, { url, skipped }] of Object.entries(services)) console.log(`${name}: ${url ?? skipped}`)
  process.once('SIGINT', async () => {
    await Promise.all(Object.values(services).map((service) => service.stop?.()))
    process.exit()
  })
  setInterval(() => {}, 1 << 30)
}
