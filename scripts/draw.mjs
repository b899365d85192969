// Draws docs/demo.svg: what the model of the demo is sent, request by request, with and without limits.
//   node scripts/draw.mjs
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

const WIDTH = 760
const LABEL = 190
const ROW = 40
const TOP = 44
const SIDES = [
  { key: 'without', name: 'without limits', colour: '#94a3b8' },
  { key: 'with', name: 'with limits', colour: '#c2410c' },
]

run(process.execPath, ['scripts/setup.mjs'])
const printed = execFileSync(process.execPath, ['examples/demo.mjs', '--json'], { cwd: root, encoding: 'utf8' })
writeFileSync(join(root, 'docs', 'demo.svg'), picture(JSON.parse(printed)))

function picture(requests) {
  const rows = requests.with.map(({ after }, index) => ({
    label: `${index + 1} ${after.replaceAll('_', ' ')}`,
    tokens: Object.fromEntries(SIDES.map(({ key }) => [key, tokensOf(requests[key][index])])),
  }))
  const total = ({ key }) => rows.reduce((sum, { tokens }) => sum + (tokens[key] ?? 0), 0)
  const most = Math.max(...rows.flatMap(({ tokens }) => SIDES.map(({ key }) => tokens[key] ?? 0)))
  const scale = (WIDTH - LABEL - 90) / most
  const bars = rows.flatMap(({ label, tokens }, index) => {
    const y = TOP + index * ROW
    const sides = SIDES.flatMap(({ key, colour }, side) => {
      const value = tokens[key]
      if (value === undefined) return []
      const [top, length] = [y + side * 15, Math.max(1, value * scale)]
      return [
        `<rect x="${LABEL}" y="${top}" width="${length.toFixed(1)}" height="13" fill="${colour}"/>`,
        `<text class="figure" x="${(LABEL + length + 6).toFixed(1)}" y="${top + 11}">${value.toLocaleString('en-US')}</text>`,
      ]
    })
    return [`<text x="${LABEL - 12}" y="${y + 18}" text-anchor="end">${label}</text>`, ...sides]
  })
  const legend = SIDES.map((side, index) => {
    const x = LABEL + index * 260
    const name = `${side.name}: ${total(side).toLocaleString('en-US')} in all`
    return `<rect x="${x}" y="14" width="12" height="12" fill="${side.colour}"/><text x="${x + 18}" y="25">${name}</text>`
  })
  const height = TOP + rows.length * ROW
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Tokens the model is sent, request by request">`,
    '<style>text{font:13px system-ui,sans-serif;fill:#1f2937}.figure{font-size:11px;fill:#475569}</style>',
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="12" y="25">tokens, estimated</text>`,
    ...legend,
    ...bars,
    '</svg>',
    '',
  ].join('\n')
}

/** A token for four chars, as the demo prints it. */
function tokensOf(request) {
  return request && Math.floor(request.chars / 4)
}
