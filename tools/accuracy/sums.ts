export const dayMs = 86_400_000;

/** The greatest common divisor. */
export function divisor(left: number, right: number): number {
  return right === 0 ? Math.abs(left) : divisor(right, left % right);
}

/** The prime number at a place, counted from 1; at most the thousandth. */
export function primeAt(place: number): number {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < Math.min(place, 1_000); candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes.at(-1) ?? Number.NaN;
}

const numerals = [
  ['M', 1000],
  ['CM', 900],
  ['D', 500],
  ['CD', 400],
  ['C', 100],
  ['XC', 90],
  ['L', 50],
  ['XL', 40],
  ['X', 10],
  ['IX', 9],
  ['V', 5],
  ['IV', 4],
  ['I', 1],
] as const;

/** A whole number in Roman numerals. */
export function roman(value: number): string {
  let left = value;
  return numerals.reduce((spelled, [letters, worth]) => {
    const times = Math.floor(left / worth);
    left -= times * worth;
    return spelled + letters.repeat(times);
  }, '');
}

/** Each letter so many places on, round the end of the alphabet. */
export function shifted(letters: string, places: number): string {
  return letters.replaceAll(/[a-z]/gi, (letter) => {
    const start = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - start + places) % 26) + start);
  });
}

/** The day of an instant, as YYYY-MM-DD. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
