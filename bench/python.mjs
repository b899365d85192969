export const pythonSide = () => undefined
