import { formatWords, unknownWord } from './shell-use.ts';
import type { ShellUse, ShellWord } from './shell-use.ts';

/** After one of them a relative path is no longer one of the workspace. */
const movingCommands: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd']);

/** Paths and programs that depend on a folder or a home that the line may have changed are known no longer. */
export function forgetFolder(uses: readonly ShellUse[]): readonly ShellUse[] {
  const hasMoved = uses.some((use) => use.type === 'command' && mayMove(use.words));
  const hasAssigned = uses.some(({ type }) => type === 'environment');
  return uses.flatMap((use): readonly ShellUse[] => {
    switch (use.type) {
      case 'environment':
        return [use];
      case 'command':
        return hasMoved && isRelative(use.words) ? [use, elsewhere(use.words)] : [use];
      case 'file': {
        const isKept = use.path?.startsWith('~')
          ? !hasAssigned && !hasMoved
          : use.path?.startsWith('/') || !hasMoved;
        return [isKept ? use : { ...use, path: undefined }];
      }
    }
  });
}

function mayMove([name]: readonly ShellWord[]): boolean {
  return name?.type !== 'text' || movingCommands.has(name.text);
}

/** `./build.sh` is another program in another folder. */
function isRelative([name]: readonly ShellWord[]): boolean {
  return name?.type === 'text' && /^[^/]+\//.test(name.text);
}

function elsewhere(words: readonly ShellWord[]): ShellUse {
  return { type: 'command', words: [unknownWord(`${formatWords(words)} in another folder`)] };
}
