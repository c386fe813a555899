/** GLSL sources. */

export const FLAT_VERTEX = `#version 300 es
in vec2 position; in vec2 uv; in vec4 tint; uniform mat4 view; uniform vec2 shift; out vec2 coordinate; out vec4 shade;
void main(){ coordinate=uv; shade=tint; gl_Position=view*vec4(position+shift,0.,1.); }`;

export const FLAT_FRAGMENT = `#version 300 es
precision mediump float; in vec2 coordinate; in vec4 shade; uniform sampler2D atlas; uniform float opacity; uniform vec4 wash; out vec4 color;
void main(){ vec4 c=texture(atlas,coordinate)*vec4(shade.rgb,1.)*shade.a*opacity; color=vec4(mix(c.rgb,wash.rgb*c.a,wash.a),c.a); }`;

/** Tapered capsules: one instance is two ends with radii and a colour; `side` is 0 or 1 along the axis. */
export const CAPSULE_VERTEX = `#version 300 es
in vec3 normal; in float side; in vec4 from; in vec4 to; in vec4 tint;
uniform mat4 view; uniform vec4 shadow; out vec3 facing; out vec4 shade; out vec3 world;
void main(){
  vec3 axis=to.xyz-from.xyz; float l=length(axis); vec3 y=l>1e-7?axis/l:vec3(0,1,0);
  vec3 x=normalize(abs(y.y)<.99?cross(y,vec3(0,1,0)):cross(y,vec3(1,0,0))); vec3 z=cross(x,y);
  facing=x*normal.x+y*normal.y+z*normal.z;
  vec3 p=mix(from.xyz,to.xyz,side)+facing*mix(from.w,to.w,side);
  world=p; shade=tint;
  if(shadow.w>0.){ float h=max(p.y-shadow.y,0.); p=vec3(p.x-shadow.x*h,shadow.y,p.z-shadow.z*h); }
  gl_Position=view*vec4(p,1.);
}`;

export const CAPSULE_FRAGMENT = `#version 300 es
precision highp float; in vec3 facing; in vec4 shade; in vec3 world; uniform vec3 eye; uniform vec4 shadow; out vec4 color;
void main(){
  if(shadow.w>0.){ color=vec4(1.); return; }
  vec3 n=normalize(facing); vec3 v=normalize(eye-world);
  float key=max(dot(n,normalize(vec3(.45,.8,.4))),0.); float sky=.5+.5*n.y; float rim=pow(1.-max(dot(n,v),0.),3.);
  vec3 c=shade.rgb*(.42+.3*sky+.42*key)+rim*.10;
  color=vec4(c*shade.a,shade.a);
}`;

export const SKIN_VERTEX = `#version 300 es
in vec3 position; in vec3 normal; in vec2 uv; in uvec4 joints; in vec4 weights; in vec4 tint;
uniform highp sampler2D palette; uniform mat4 view; uniform mat4 model; uniform bool skinned; uniform vec4 shadow;
out vec3 facing; out vec3 world; out vec2 coordinate; out vec4 shade;
mat4 joint(uint i){ int r=int(i); return mat4(texelFetch(palette,ivec2(0,r),0),texelFetch(palette,ivec2(1,r),0),texelFetch(palette,ivec2(2,r),0),texelFetch(palette,ivec2(3,r),0)); }
void main(){
  mat4 m=model;
  if(skinned){ float sum=max(dot(weights,vec4(1.)),1e-6); m=(joint(joints.x)*weights.x+joint(joints.y)*weights.y+joint(joints.z)*weights.z+joint(joints.w)*weights.w)*(1./sum); }
  vec4 p=m*vec4(position,1.); world=p.xyz; facing=mat3(m)*normal; coordinate=uv; shade=tint;
  if(shadow.w>0.){ float h=max(p.y-shadow.y,0.); p=vec4(p.x-shadow.x*h,shadow.y,p.z-shadow.z*h,1.); }
  gl_Position=view*p;
}`;

export const SKIN_FRAGMENT = `#version 300 es
precision highp float; in vec3 facing; in vec3 world; in vec2 coordinate; in vec4 shade;
uniform sampler2D base; uniform bool blends; uniform vec4 factor; uniform vec3 eye; uniform vec4 shadow; uniform float cutoff; uniform float opacity; out vec4 color;
void main(){
  vec4 c=texture(base,coordinate)*factor*shade; if(c.a<cutoff) discard;
  if(shadow.w>0.){ color=vec4(1.); return; }
  vec3 v=normalize(eye-world); vec3 n=normalize(facing); if(dot(n,v)<0.) n=-n;
  float key=max(dot(n,normalize(vec3(.45,.8,.4))),0.); float sky=.5+.5*n.y;
  float a=opacity*(blends?c.a:1.); color=vec4(c.rgb*(.45+.3*sky+.4*key)*a,a);
}`;

/** The ground: anti-aliased grid lines and a blurred shadow, fading out with distance. */
export const GROUND_VERTEX = `#version 300 es
in vec2 position; uniform mat4 view; uniform vec4 place; out vec2 ground; out vec2 unit;
void main(){ unit=position; ground=place.xy+position*place.w; gl_Position=view*vec4(ground.x,place.z,ground.y,1.); }`;

export const GROUND_FRAGMENT = `#version 300 es
precision highp float; in vec2 ground; in vec2 unit; uniform vec3 paint; uniform vec3 line; uniform float spacing; uniform vec4 caster; uniform vec4 place;
uniform sampler2D shadows; uniform float strength; uniform bool grid; out vec4 color;
float lines(float s){ vec2 g=ground/s; vec2 w=fwidth(g); vec2 d=abs(fract(g-.5)-.5)/max(w,1e-6); vec2 k=1.-smoothstep(.0,1.3,d); k*=1.-smoothstep(.25,.6,w); return max(k.x,k.y); }
void main(){
  float fade=1.-smoothstep(.28,1.,length(unit)); float r=caster.z;
  vec2 s=(ground-caster.xy)/r*.5+.5; float dark=0.;
  if(all(greaterThan(s,vec2(.02)))&&all(lessThan(s,vec2(.98)))){
    for(int i=0;i<24;i++){ float a=float(i)*2.399963; float d=sqrt((float(i)+.5)/24.)*.011; dark+=texture(shadows,s+vec2(cos(a),sin(a))*d).r; }
    dark*=strength/24.;
  }
  vec3 c=paint; float a=fade*.85;
  if(grid){ float k=max(lines(spacing)*.38,lines(spacing*5.)*.62)*fade; c=mix(c,line,k); a=max(a,k); }
  c*=1.-dark; a=max(a,dark*fade);
  color=vec4(c*a,a);
}`;

/** Lines and discs that face the viewer are drawn as capsules without light. */
export const PLAIN_FRAGMENT = `#version 300 es
precision mediump float; in vec3 facing; in vec4 shade; in vec3 world; out vec4 color;
void main(){ color=vec4(shade.rgb*shade.a,shade.a); }`;
