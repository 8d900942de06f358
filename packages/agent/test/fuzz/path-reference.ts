/** A slow and obvious reading of paths: it starts again after each link and each `..`. */
export interface World {
  readonly links: Readonly<Record<string, string>>;
  readonly workspace: string;
}

/** Where the kernel arrives; `undefined` in a circle. */
export function walk(path: string, world: World, hops = 0): string | undefined {
  if (hops > 40) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  for (const [index, part] of parts.entries()) {
    const before = parts.slice(0, index);
    const after = parts.slice(index + 1).join('/');
    if (part === '..') return walk(`/${before.slice(0, -1).join('/')}/${after}`, world, hops);
    const target = world.links[`/${[...before, part].join('/')}`];
    if (target === undefined) continue;
    const start = target.startsWith('/') ? target : `/${before.join('/')}/${target}`;
    return walk(`${start}/${after}`, world, hops + 1);
  }
  return `/${parts.join('/')}`;
}

/** Where a program arrives that takes `..` away by the text first. */
export function walkTidied(path: string, world: World): string | undefined {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return walk(`/${kept.join('/')}`, world);
}

/** Whether the pattern, whose beginning is a path like any other, is about the file at `path`. */
export function covers(pattern: string, path: string, world: World): boolean {
  const absolute = pattern.startsWith('/') ? pattern : `${world.workspace}/${pattern}`;
  const parts = absolute.split('/').filter((part) => part !== '');
  const first = parts.findIndex((part) => part.includes('*'));
  const literal = first === -1 ? parts : parts.slice(0, first);
  const folder = walk(`/${literal.join('/')}`, world);
  if (folder === undefined) return false;
  const rest = first === -1 ? [] : parts.slice(first);
  const expression = rest
    .map((part) => (part === '**' ? '(?:/[^/]+)*' : `/(?=[^/])${part.replaceAll('*', '[^/]*')}`))
    .join('');
  return new RegExp(`^${folder === '/' ? '' : folder}${expression}/*$`).test(path);
}
