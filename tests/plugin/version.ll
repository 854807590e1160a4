; test: opt --version
; CHECK: LLVM version 22
; CHECK: Orthant {{[0-9]+\.[0-9]+\.[0-9]+$}}
; CHECK-NEXT: {{^}}  LLVM 22.{{.*}} (built for), 22.{{.*}} (loaded)
; CHECK-NEXT: {{^}}  isl isl-{{.*}}
