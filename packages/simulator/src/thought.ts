/** What the simulated model thinks when nobody scripts it. */
export const defaultThought = 'I look at the request and decide what to do next.';
