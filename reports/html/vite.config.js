// One file: the script and the style go into the page itself, so that it opens without a network.
const inlined = {
  name: 'stepcast-inline',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const page = bundle['index.html'];
    for (const [name, file] of Object.entries(bundle)) {
      if (file.type === 'chunk') {
        // An inline module runs after the page is parsed, as the linked one would.
        const code = file.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
        page.source = page.source.replace(/<script type="module"[^>]*><\/script>\s*/, '')
            .replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
      } else if (name.endsWith('.css')) {
        page.source = page.source.replace(/<link rel="stylesheet"[^>]*>/,
            () => `<style>${file.source}</style>`);
      } else {
        continue;
      }
      delete bundle[name];
    }
  },
};

export default {
  plugins: [inlined],
  build: {target: 'es2020', modulePreload: false, chunkSizeWarningLimit: 2000},
};
