// Every test, with all set-up: engine tests in Rust, then what a user sees. Ends with one line that adds both up.
//   node scripts/test.mjs [FILTER …]   only the files of package tests whose path contains a filter, no engine tests
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bin, root, run } from './run.mjs'

const filters = process.argv.slice(2)
run(process.execPath, ['scripts/setup.mjs', '--hosts'])

const total = { passed: 0, failed: 0, skipped: 0 }
if (filters.length === 0) engineTests()
packageTests()
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exit(total.failed > 0 ? 1 : 0)

function engineTests() {
  const { status, stdout } = spawnSync('cargo', ['test', '--no-default-features', '--quiet'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.stdout.write(stdout)
  const results = [...stdout.matchAll(/^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gm)]
  for (const [, passed, failed] of results) {
    total.passed += Number(passed)
    total.failed += Number(failed)
  }
  // A build that fails runs no test; ignored ones are children that another test starts.
  if (status !== 0 && total.failed === 0) total.failed += 1
}

function packageTests() {
  const report = join(tmpdir(), `tool-output-limits-tests-${process.pid}.json`)
  const { status } = spawnSync(
    process.execPath,
    [bin('vitest'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numFailedTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    )
    total.passed += numPassedTests
    total.failed += numFailedTests
    total.skipped += numPendingTests + numTodoTests
    // A file that does not load, or a rejection that nobody handled, has no test of its own.
    if (status !== 0 && numFailedTests === 0) total.failed += Math.max(1, numFailedTestSuites)
  } catch (error) {
    console.error(`no report of the package tests: ${error.message}`)
    total.failed += 1
  } finally {
    rmSync(report, { force: true })
  }
}
