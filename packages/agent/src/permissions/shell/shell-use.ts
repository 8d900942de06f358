/** One word of a command: its text, or what was written where the text is known only when it runs. */
export type ShellWord =
  | { readonly type: 'text'; readonly text: string }
  /** May become any number of words. */
  | { readonly type: 'unknown'; readonly written: string };

/** One thing that a command line does. */
export type ShellUse =
  /** Never empty; the first word names the program. */
  | { readonly type: 'command'; readonly words: readonly ShellWord[] }
  /** Sets a variable, for a command or from here on. */
  | { readonly type: 'environment'; readonly name: string }
  /** Redirects to or from a file. `path` is `undefined` where it is known only when it runs. */
  | { readonly type: 'file'; readonly access: 'read' | 'write'; readonly path: string | undefined };

/** What a wrapper runs or sets. */
export type Inner =
  | { readonly type: 'command'; readonly words: readonly ShellWord[] }
  /** A command line of its own. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'environment'; readonly name: string }
  /** It runs something that can't be seen. */
  | { readonly type: 'unknown'; readonly written: string };

/** All that a command line does, or why that can't be told. */
export type CommandLineReading =
  | { readonly type: 'uses'; readonly uses: readonly ShellUse[] }
  | { readonly type: 'unclear'; readonly reason: string };

export function textWord(text: string): ShellWord {
  return { type: 'text', text };
}

export function unknownWord(written: string): ShellWord {
  return { type: 'unknown', written };
}

/** For people: words as one would type them. */
export function formatWords(words: readonly ShellWord[]): string {
  return words
    .map((word) => {
      if (word.type === 'unknown') return word.written;
      return /^[\w@%+=:,./~-]+$/.test(word.text)
        ? word.text
        : `'${word.text.replaceAll("'", String.raw`'\''`)}'`;
    })
    .join(' ');
}
