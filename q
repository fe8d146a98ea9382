<svg xmlns="http://www.w3.org/2000/svg" class="theano-picture" width="167.3" height="182" viewBox="0 0 167.3 182" role="img" font-family='Helvetica Neue,Helvetica,Arial,sans-serif'>
<title>a graph</title>
<rect width="167.3" height="182" rx="8" fill="#ffffff"/>
<g class="graph" transform="translate(50.7 16)">
<g class="edge" data-source="n1" data-target="n2"><title>x: TensorType(float64, vector)</title><path d="M33 39.1C33 51.2 33 66.7 33 71.8" fill="none" stroke="#94a3b8" stroke-width="1.3"/><path d="M33 78.8L29.5 71.8L36.5 71.8Z" fill="#94a3b8"/></g>
<g class="node input" data-node="n1">
<title>x
name: x
type: TensorType(float64, vector)
made at survey.py:16: x=T.dvector(&quot;x&quot;); m=T.dmatrix(&quot;m&quot;); s=T.dscalar(&quot;s&quot;)</title>
<rect x="0.1" y="-0" width="65.7" height="39" rx="3" fill="#dcfce7" stroke="#16a34a" stroke-width="1.2"/>
<text x="33" y="17" text-anchor="middle" font-size="12" fill="#1f2937" font-weight="600">x</text>
<text x="33" y="30" text-anchor="middle" font-size="10" fill="#64748b">float64 (·)</text>
</g>
<g class="node output" data-node="n2">
<title>x
name: x
type: TensorType(float64, vector)
made at survey.py:16: x=T.dvector(&quot;x&quot;); m=T.dmatrix(&quot;m&quot;); s=T.dscalar(&quot;s&quot;)</title>
<rect x="0.1" y="79" width="65.7" height="39" rx="3" fill="#dbeafe" stroke="#2563eb" stroke-width="1.2"/>
<text x="33" y="96" text-anchor="middle" font-size="12" fill="#1f2937">x</text>
<text x="33" y="109" text-anchor="middle" font-size="10" fill="#64748b">float64 (·)</text>
</g>
</g>
<g class="legend">
<rect x="16" y="148" width="18" height="10" rx="3" fill="#dcfce7" stroke="#16a34a" stroke-width="1.2"/>
<text x="40" y="156.5" text-anchor="start" font-size="10" fill="#1f2937">input</text>
<rect x="80.7" y="148" width="18" height="10" rx="3" fill="#dbeafe" stroke="#2563eb" stroke-width="1.2"/>
<text x="104.7" y="156.5" text-anchor="start" font-size="10" fill="#1f2937">output</text>
</g>
</svg>