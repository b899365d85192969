// Wall time of each side relative to the naive way (where there is none, to the careful one), as a picture.

const WIDTH = 920
const LABEL = 380
const ROW = 46
const COLOURS = { ours: '#c2410c', naive: '#64748b', careful: '#0f766e', python: '#7c3aed' }
const NAMES = { ours: 'this package', naive: 'naive', careful: 'careful JavaScript', python: 'Python original' }
const MOST = 2

const escaped = (text) => text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char])

const figure = (ratio) => {
  if (ratio < 0.005) return '&lt;0.01'
  return ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)
}

/** An SVG picture of the results. Bars beyond twice the reference are cut and carry their figure. */
export function chart(results) {
  const rows = results
    .map(({ name, medians }) => ({ name, medians, base: (medians.naive ?? medians.careful)?.wall }))
    .filter(({ base, medians }) => base > 0 && medians.ours)
  const scale = (WIDTH - LABEL - 60) / MOST
  const parts = []
  let y = 56
  for (const { name, medians, base } of rows) {
    const sides = Object.keys(COLOURS).filter((side) => medians[side]?.wall > 0)
    const label = escaped(name.replaceAll('`', ''))
    parts.push(`<text x="${LABEL - 12}" y="${y + 20}" text-anchor="end">${label}</text>`)
    const height = Math.floor((ROW - 10) / sides.length)
    sides.forEach((side, index) => {
      const ratio = medians[side].wall / base
      const length = Math.max(1, Math.min(ratio, MOST) * scale)
      const top = y + index * height
      parts.push(
        `<rect x="${LABEL}" y="${top}" width="${length.toFixed(1)}" height="${height - 1}" fill="${COLOURS[side]}"/>`,
        `<text class="figure" x="${(LABEL + length + 4).toFixed(1)}" y="${top + height - 2}">${figure(ratio)}×</text>`,
      )
    })
    y += ROW
  }
  const legend = Object.entries(NAMES)
    .filter(([side]) => rows.some(({ medians }) => medians[side]))
    .map(
      ([side, name], index) =>
        `<rect x="${20 + index * 170}" y="14" width="12" height="12" fill="${COLOURS[side]}"/>` +
        `<text x="${38 + index * 170}" y="25">${name}</text>`,
    )
  const one = LABEL + scale
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 20}" viewBox="0 0 ${WIDTH} ${y + 20}" role="img" aria-label="Wall time relative to the naive way; less is better">`,
    '<style>text{font:12px system-ui,sans-serif;fill:#1f2937}.figure{font-size:10px;fill:#475569}</style>',
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...legend,
    `<text x="${WIDTH - 20}" y="25" text-anchor="end">wall time, naive = 1; less is better</text>`,
    `<line x1="${one}" x2="${one}" y1="44" y2="${y}" stroke="#cbd5e1"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}
