// What bundlers for edge runtimes resolve the package to: native addons cannot be loaded there.
throw new Error(
  'tool-output-limits is a native Node.js addon (Node.js 20 or later) and cannot run in an edge runtime or a browser. ' +
    'Run the tool on the Node.js runtime; see docs/bundlers.md.',
)
