import type { Output, Surroundings } from '../../surroundings.ts';

/** The two outputs, which can be made to wait. */
export interface HeldOutputs extends Pick<Surroundings, 'out' | 'err'> {
  /** Keeps back what is written until it is released. */
  hold(): void;
  release(): void;
}

/** Keeps what other calls do out of the line in which a person is asked about one. */
export function holdOutputs({ out, err }: Pick<Surroundings, 'out' | 'err'>): HeldOutputs {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const held = (output: Output): Output => ({
    isTerminal: output.isTerminal,
    write(text) {
      if (isHeld) waiting.push(() => output.write(text));
      else output.write(text);
    },
  });
  return {
    out: held(out),
    err: held(err),
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const write of waiting.splice(0)) write();
    },
  };
}
