/** Of one server; a hostile one could say something new for ever. */
const maxSaid = 200;

/** Says each thing once, and no more than 200 of them. */
export function sayOnce(say: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message) || said.size >= maxSaid) return;
    said.add(message);
    say(message);
  };
}
