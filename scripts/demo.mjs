// `npm run demo`: sets itself up, then runs the agent of examples/demo.mjs.
import { run } from './run.mjs'

run(process.execPath, ['scripts/setup.mjs'])
run(process.execPath, ['examples/demo.mjs'], { stdio: 'inherit' })
