// `export *` hides what a module offers: a reader of an index.ts should see every public name.
export default {
  meta: { name: 'quartermaster' },
  rules: {
    'no-export-all': {
      create(context) {
        return {
          ExportAllDeclaration(node) {
            context.report({ node, message: 'Name what you export; `export *` hides it.' });
          },
        };
      },
    },
  },
};
